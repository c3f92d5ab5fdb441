/**
 * The replay command: programs of distributed autograd, read from a file and run on worker JVMs.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.cli.replay;
