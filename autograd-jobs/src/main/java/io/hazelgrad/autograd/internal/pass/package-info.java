/**
 * The vocabulary of backward passes, shared by initiators, schedulers and participants. Start at
 * {@link io.hazelgrad.autograd.internal.pass.PassScheduler} and {@link
 * io.hazelgrad.autograd.internal.pass.PassParticipant}.
 */
@NullMarked
package io.hazelgrad.autograd.internal.pass;

import org.jspecify.annotations.NullMarked;
