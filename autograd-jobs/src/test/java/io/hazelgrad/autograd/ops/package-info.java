/** Tests of the operations on tensors. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.ops;
