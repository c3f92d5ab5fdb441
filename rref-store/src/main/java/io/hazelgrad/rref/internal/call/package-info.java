/**
 * Calls that create, use and hand on objects. Start at {@link
 * io.hazelgrad.rref.internal.call.RRefMessages}.
 */
@NullMarked
package io.hazelgrad.rref.internal.call;

import org.jspecify.annotations.NullMarked;
