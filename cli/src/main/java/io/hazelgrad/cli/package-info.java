/** The hazelgrad command. */
@NullMarked
package io.hazelgrad.cli;

import org.jspecify.annotations.NullMarked;
