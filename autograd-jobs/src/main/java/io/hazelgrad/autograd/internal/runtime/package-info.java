/** The extension that adds differentiation to a grid. Start at {@link AutogradExtension}. */
@NullMarked
package io.hazelgrad.autograd.internal.runtime;

import org.jspecify.annotations.NullMarked;
