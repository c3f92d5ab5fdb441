/**
 * Operations of the catalogue that neural networks are made of: convolutions, pooling,
 * normalisation, attention, recurrent cells and losses.
 */
@NullMarked
package io.hazelgrad.autograd.internal.ops.network;

import org.jspecify.annotations.NullMarked;
