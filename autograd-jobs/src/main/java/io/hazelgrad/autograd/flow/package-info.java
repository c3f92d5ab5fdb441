/**
 * One attempt at a backward pass by calls: gradients go from the worker that makes them straight to
 * the one that takes them, as arguments and results of calls. Start at {@link
 * io.hazelgrad.autograd.flow.Flows}.
 *
 * <p>A <em>host</em> is a worker that acts for workers in the pass: for itself, and for clients
 * that it relays for. One host <em>coordinates</em>: it begins the others' parts and hears when
 * they are done. {@link io.hazelgrad.autograd.flow.HostSteps} says what a host does when; what it
 * means to take and to make gradients is behind {@link io.hazelgrad.autograd.jet.PassParticipant}.
 */
@NullMarked
package io.hazelgrad.autograd.flow;

import org.jspecify.annotations.NullMarked;
