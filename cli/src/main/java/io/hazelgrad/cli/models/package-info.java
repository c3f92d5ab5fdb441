/** Files of tensors and models on the command line. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.cli.models;
