/** Tests of optimizers that need no grid. */
@NullMarked
package io.hazelgrad.autograd.optim;

import org.jspecify.annotations.NullMarked;
