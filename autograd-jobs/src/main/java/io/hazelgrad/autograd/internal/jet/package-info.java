/**
 * The scheduler that runs an attempt at a pass as a Jet job, with a vertex for each wave. Start at
 * {@link JetPassScheduler}.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.internal.jet;
