/** Optimizers, and their use on parameters that live on many workers. */
@NullMarked
package io.hazelgrad.autograd.optim;

import org.jspecify.annotations.NullMarked;
