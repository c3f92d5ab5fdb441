/**
 * Differentiation, in one process and over workers. Start at {@link
 * io.hazelgrad.autograd.Autograd}; what is differentiated is a {@link
 * io.hazelgrad.autograd.Variable}.
 */
@NullMarked
package io.hazelgrad.autograd;

import org.jspecify.annotations.NullMarked;
