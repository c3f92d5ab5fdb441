/** Training: optimizers over the parameters of one process or of many, and checkpoints. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.training;
