/** Calls that create, use and hand on objects. Start at {@link RRefMessages}. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.rref.internal.call;
