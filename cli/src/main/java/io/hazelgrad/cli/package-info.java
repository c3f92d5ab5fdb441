/** The subcommands of {@code hazelgrad} beside {@code member}. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.cli;
