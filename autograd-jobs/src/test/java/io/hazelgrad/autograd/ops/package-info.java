/** Tests of the operations on tensors. */
@NullMarked
package io.hazelgrad.autograd.ops;

import org.jspecify.annotations.NullMarked;
