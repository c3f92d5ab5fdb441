/** Tests of optimizers and checkpoints in one process. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.training;
