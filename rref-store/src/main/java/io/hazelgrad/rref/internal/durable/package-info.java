/**
 * Durable objects: checkpoints, and the transfer of ownership after the owner is lost. Start at
 * {@link io.hazelgrad.rref.internal.durable.DurableObjects}.
 */
@NullMarked
package io.hazelgrad.rref.internal.durable;

import org.jspecify.annotations.NullMarked;
