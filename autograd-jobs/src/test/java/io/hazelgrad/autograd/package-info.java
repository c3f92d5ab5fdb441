/** Tests of differentiation that need no grid. */
@NullMarked
package io.hazelgrad.autograd;

import org.jspecify.annotations.NullMarked;
