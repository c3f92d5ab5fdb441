/** The gradient graph of one process, and the engine that runs it. Start at {@link Node}. */
@NullMarked
package io.hazelgrad.autograd.internal.tape;

import org.jspecify.annotations.NullMarked;
