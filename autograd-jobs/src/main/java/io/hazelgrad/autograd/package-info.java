/** Differentiation over workers. Start at {@link Autograd} and {@link Variable}. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd;
