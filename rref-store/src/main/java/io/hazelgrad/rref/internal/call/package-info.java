/**
 * Calls that create, use and hand on objects. Start at {@link
 * io.hazelgrad.rref.internal.call.RRefMessages}.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.rref.internal.call;
