/** The gradient graph of one process, and the engine that runs it. Start at {@link Node}. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.internal.tape;
