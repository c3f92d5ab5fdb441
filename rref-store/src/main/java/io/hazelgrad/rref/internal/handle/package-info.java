/**
 * The handles that this process holds, and the reconciliation of their forks. Start at {@link
 * io.hazelgrad.rref.internal.handle.HandleTable}.
 */
@NullMarked
package io.hazelgrad.rref.internal.handle;

import org.jspecify.annotations.NullMarked;
