/**
 * The replay command: programs of distributed autograd, read from a file and run on worker JVMs.
 */
@NullMarked
package io.hazelgrad.cli.replay;

import org.jspecify.annotations.NullMarked;
