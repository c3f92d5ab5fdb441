/** Tests of optimizers that need no grid. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.optim;
