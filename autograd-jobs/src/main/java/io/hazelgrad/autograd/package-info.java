/**
 * Automatic differentiation, within one process and over workers. Start at {@link
 * io.hazelgrad.autograd.Autograd} and {@link io.hazelgrad.autograd.Variable}.
 */
@NullMarked
package io.hazelgrad.autograd;

import org.jspecify.annotations.NullMarked;
