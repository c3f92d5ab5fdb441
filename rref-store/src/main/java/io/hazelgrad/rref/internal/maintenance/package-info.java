/**
 * Reconciliation: compares what the registry says with what is true, and mends the difference.
 * Start at {@link io.hazelgrad.rref.internal.maintenance.Reconciler}.
 */
@NullMarked
package io.hazelgrad.rref.internal.maintenance;

import org.jspecify.annotations.NullMarked;
