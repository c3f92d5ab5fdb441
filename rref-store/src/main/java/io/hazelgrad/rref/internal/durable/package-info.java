/**
 * Durable objects: checkpoints, and the transfer of ownership after the owner is lost. Start at
 * {@link io.hazelgrad.rref.internal.durable.DurableObjects}.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.rref.internal.durable;
