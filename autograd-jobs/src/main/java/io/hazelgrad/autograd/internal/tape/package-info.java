/**
 * The gradient graph of one process: nodes, edges, and the engine that runs them. Start at {@link
 * io.hazelgrad.autograd.internal.tape.Node}.
 */
@NullMarked
package io.hazelgrad.autograd.internal.tape;

import org.jspecify.annotations.NullMarked;
