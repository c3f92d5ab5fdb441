/** Small helpers that all internal packages of remote references share. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.rref.internal.common;
