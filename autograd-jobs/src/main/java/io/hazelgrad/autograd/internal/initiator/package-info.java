/**
 * The initiator of a backward pass: plans it, runs its roots, has a scheduler run the rest, and
 * decides. Start at {@link io.hazelgrad.autograd.internal.initiator.PassInitiator}.
 */
@NullMarked
package io.hazelgrad.autograd.internal.initiator;

import org.jspecify.annotations.NullMarked;
