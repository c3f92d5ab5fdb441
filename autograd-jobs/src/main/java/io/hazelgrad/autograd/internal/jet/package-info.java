/**
 * The scheduler that runs an attempt at a backward pass as a Jet job whose DAG is the plan: one
 * vertex for each wave, and edges that carry each gradient message to the member that takes it.
 * Start at {@link io.hazelgrad.autograd.internal.jet.JetPassScheduler}.
 */
@NullMarked
package io.hazelgrad.autograd.internal.jet;

import org.jspecify.annotations.NullMarked;
