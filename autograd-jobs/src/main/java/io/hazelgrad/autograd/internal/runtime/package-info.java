/** The extension that adds differentiation to a grid. Start at {@link AutogradExtension}. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.internal.runtime;
