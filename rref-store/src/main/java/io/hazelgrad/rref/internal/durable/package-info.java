/** Checkpoints and the transfer of ownership. Start at {@link DurableObjects}. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.rref.internal.durable;
