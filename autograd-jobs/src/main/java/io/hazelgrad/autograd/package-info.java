/**
 * Automatic differentiation, within one process and over workers. Start at {@link
 * io.hazelgrad.autograd.Autograd} and {@link io.hazelgrad.autograd.Variable}.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd;
