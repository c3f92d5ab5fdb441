/** Operations of the catalogue that neural networks are made of, such as convolutions. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.internal.ops.network;
