/**
 * One attempt at a backward pass as a Jet light job whose DAG is the plan: a vertex per wave, and
 * edges that carry each gradient message to the member of the worker that takes it. Start at {@link
 * io.hazelgrad.autograd.jet.PassJobs}.
 *
 * <p>This package moves gradients and keeps time; what it means to take and to make them is behind
 * {@link io.hazelgrad.autograd.jet.PassParticipant}.
 */
@NullMarked
package io.hazelgrad.autograd.jet;

import org.jspecify.annotations.NullMarked;
