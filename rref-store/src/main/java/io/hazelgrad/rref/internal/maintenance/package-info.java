/**
 * Reconciliation: compares the registry with living workers, objects and handles, and repairs it.
 * Start at {@link io.hazelgrad.rref.internal.maintenance.Reconciler}.
 */
@NullMarked
package io.hazelgrad.rref.internal.maintenance;

import org.jspecify.annotations.NullMarked;
