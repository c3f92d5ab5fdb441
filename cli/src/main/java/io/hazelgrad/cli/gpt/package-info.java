/** A small transformer that predicts characters, and its training on workers. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.cli.gpt;
