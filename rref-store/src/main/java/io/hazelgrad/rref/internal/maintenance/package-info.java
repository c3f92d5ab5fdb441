/** Reconciliation, which repairs the registry. Start at {@link Reconciler}. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.rref.internal.maintenance;
