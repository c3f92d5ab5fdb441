/** The extension that adds differentiation to a grid. */
@NullMarked
package io.hazelgrad.autograd.internal.runtime;

import org.jspecify.annotations.NullMarked;
