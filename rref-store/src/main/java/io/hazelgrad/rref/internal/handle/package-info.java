/**
 * The handles that this process holds, and the forks that messages carry between processes. Start
 * at {@link io.hazelgrad.rref.internal.handle.HandleTable}.
 */
@NullMarked
package io.hazelgrad.rref.internal.handle;

import org.jspecify.annotations.NullMarked;
