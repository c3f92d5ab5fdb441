/**
 * The scheduler that runs an attempt at a backward pass by calls between workers. Start at {@link
 * io.hazelgrad.autograd.internal.calls.CallPassScheduler}.
 *
 * <p>A <em>host</em> is a worker that acts in the pass for itself and for clients that it relays
 * for. One host <em>coordinates</em>: it begins the parts of the others and receives their results.
 * {@link io.hazelgrad.autograd.internal.calls.PassStateMachine} decides each step of a host.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.internal.calls;
