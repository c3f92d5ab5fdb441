/**
 * The scheduler that runs an attempt at a pass as a Jet job, with a vertex for each wave. Start at
 * {@link JetPassScheduler}.
 */
@NullMarked
package io.hazelgrad.autograd.internal.jet;

import org.jspecify.annotations.NullMarked;
