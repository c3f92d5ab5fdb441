/**
 * The handles that this process holds, and the reconciliation of their forks. Start at {@link
 * io.hazelgrad.rref.internal.handle.HandleTable}.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.rref.internal.handle;
