package io.hazelgrad.autograd.nn;

import io.hazelgrad.grid.RemoteFunctions;

/** A convolution of x {@code [N, channels, length]}, N may be left out; see {@link Convolution}. */
@RemoteFunctions
public final class Conv1d extends Convolution {
  /** Makes a layer from so many channels to so many, with {@link ConvOptions#defaults()}. */
  public Conv1d(int inputs, int outputs, int kernel, Init init) {
    this(inputs, outputs, kernel, ConvOptions.defaults(), init);
  }

  /** Makes a layer from so many channels to so many. */
  public Conv1d(int inputs, int outputs, int kernel, ConvOptions options, Init init) {
    super("conv1d", inputs, outputs, new long[] {kernel}, options, init);
  }
}
