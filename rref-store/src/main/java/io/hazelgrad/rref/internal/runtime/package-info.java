/**
 * The extension that adds remote references to a grid, the implementation of {@link
 * io.hazelgrad.rref.RRefs}, and the search for leaks. Start at {@link
 * io.hazelgrad.rref.internal.runtime.RRefExtension}.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.rref.internal.runtime;
