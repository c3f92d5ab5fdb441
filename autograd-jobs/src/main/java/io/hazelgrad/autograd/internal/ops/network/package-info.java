/**
 * Operations of the catalogue that neural networks are made of: convolutions, pooling,
 * normalisation, attention, recurrent cells and losses.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.internal.ops.network;
