/**
 * Reconciliation: compares the registry with living workers, objects and handles, and repairs it.
 * Start at {@link io.hazelgrad.rref.internal.maintenance.Reconciler}.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.rref.internal.maintenance;
