/** The extension that adds remote references to a grid. Start at {@link RRefExtension}. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.rref.internal.runtime;
