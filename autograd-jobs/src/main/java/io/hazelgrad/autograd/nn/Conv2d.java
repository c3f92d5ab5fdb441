package io.hazelgrad.autograd.nn;

import io.hazelgrad.grid.RemoteFunctions;

/** A convolution of x {@code [N, C, height, width]}, or without N; see {@link Convolution}. */
@RemoteFunctions
public final class Conv2d extends Convolution {
  /** Makes a layer with a square kernel, with {@link ConvOptions#defaults()}. */
  public Conv2d(int inputs, int outputs, int kernel, Init init) {
    this(inputs, outputs, kernel, ConvOptions.defaults(), init);
  }

  /** Makes a layer with a square kernel. */
  public Conv2d(int inputs, int outputs, int kernel, ConvOptions options, Init init) {
    this(inputs, outputs, kernel, kernel, options, init);
  }

  /** Makes a layer from so many channels to so many. */
  public Conv2d(int inputs, int outputs, int height, int width, ConvOptions options, Init init) {
    super("conv2d", inputs, outputs, new long[] {height, width}, options, init);
  }
}
