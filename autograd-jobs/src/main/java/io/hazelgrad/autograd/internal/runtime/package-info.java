/**
 * The extension that adds differentiation to a grid, and the implementations of {@link
 * io.hazelgrad.autograd.Autograd} and {@link io.hazelgrad.autograd.Context}. Start at {@link
 * io.hazelgrad.autograd.internal.runtime.AutogradExtension}.
 */
@NullMarked
package io.hazelgrad.autograd.internal.runtime;

import org.jspecify.annotations.NullMarked;
