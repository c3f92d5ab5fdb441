/**
 * Calls that create, use and hand on objects: the handle that users see, and everything that
 * references add to the messages of calls. Start at {@link
 * io.hazelgrad.rref.internal.call.RRefMessages}.
 */
@NullMarked
package io.hazelgrad.rref.internal.call;

import org.jspecify.annotations.NullMarked;
