/**
 * The extension that adds remote references to a grid, and what references add to the messages of
 * calls. Start at {@link io.hazelgrad.rref.internal.runtime.RRefExtension}.
 */
@NullMarked
package io.hazelgrad.rref.internal.runtime;

import org.jspecify.annotations.NullMarked;
