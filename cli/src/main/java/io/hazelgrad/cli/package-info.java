/** The subcommands of {@code hazelgrad} beside {@code member}. */
@NullMarked
package io.hazelgrad.cli;

import org.jspecify.annotations.NullMarked;
