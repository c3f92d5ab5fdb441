/**
 * Backward passes: the vocabulary that both schedulers share, the part that a worker takes in a
 * pass, and the initiator that decides it. Start at {@link
 * io.hazelgrad.autograd.internal.pass.PassInitiator}.
 */
@NullMarked
package io.hazelgrad.autograd.internal.pass;

import org.jspecify.annotations.NullMarked;
