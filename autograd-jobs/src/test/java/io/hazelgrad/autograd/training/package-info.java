/** Tests of optimizers and checkpoints in one process. */
@NullMarked
package io.hazelgrad.autograd.training;

import org.jspecify.annotations.NullMarked;
