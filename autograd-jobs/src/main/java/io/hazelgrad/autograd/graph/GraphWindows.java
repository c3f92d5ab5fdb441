package io.hazelgrad.autograd.graph;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.graph.GraphStep.Kernel;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.Map;
import java.util.function.UnaryOperator;

/** The operations of graphs on windows over images: convolution and pooling. */
final class GraphWindows {
  /**
   * The settings of a window as SameDiff stores them, rows before columns.
   *
   * @param isPadded whether the padding is as much as keeps the size, divided by the stride
   * @param first the first of two settings whose meaning depends on the operation
   */
  @SuppressWarnings("ArrayRecordComponent") // Not compared.
  private record Settings(
      long[] kernel,
      long[] stride,
      long[] padding,
      long[] dilation,
      boolean isPadded,
      int first,
      int second) {
    private static final int COUNT = 11;
    private static final int FIRST_FLAG = 8;
    private static final long MOST = 1 << 16;

    /** Reads settings, each within bounds that no arithmetic here exceeds. */
    static Settings of(GraphNode node) {
      long[] s = node.integers(COUNT);
      for (int i = 0; i < COUNT; i++) {
        boolean isPadding = i == 4 || i == 5;
        long least = i < FIRST_FLAG && !isPadding ? 1 : 0;
        long most = i < FIRST_FLAG ? MOST : i == COUNT - 1 ? WEIGHTS.length - 1 : 1;
        if (s[i] < least || s[i] > most) {
          throw node.bad("cannot have the settings " + Arrays.toString(s));
        }
      }
      return new Settings(
          Arrays.copyOfRange(s, 0, 2),
          Arrays.copyOfRange(s, 2, 4),
          Arrays.copyOfRange(s, 4, 6),
          Arrays.copyOfRange(s, 6, 8),
          s[8] == 1,
          (int) s[9],
          (int) s[10]);
    }
  }

  /** The orders that bring weights to [out, in, rows, columns], by SameDiff's number. */
  private static final int[][] WEIGHTS = {{3, 2, 0, 1}, {0, 1, 2, 3}, {0, 3, 1, 2}};

  private GraphWindows() {}

  /**
   * Convolves. The first setting says whether the channels are last, the second the weights' order.
   */
  static Kernel convolution(GraphNode node) {
    Settings s = Settings.of(node);
    Attributes attributes = Attributes.of("stride", s.stride, "dilation", s.dilation);
    return x -> {
      requireImages(node, x[0], x[1]);
      Variable weight = GraphShapes.permuted(x[1], WEIGHTS[s.second]);
      if (weight.value().shape(2) != s.kernel[0] || weight.value().shape(3) != s.kernel[1]) {
        throw node.bad("has a kernel of another size than its weight " + GraphNode.shapes(x[1]));
      }
      return onImages(
          x[0],
          s.first,
          image -> {
            Variable[] inputs = x.clone();
            inputs[0] = padded(image, s, 0);
            inputs[1] = weight;
            return Variable.apply("conv2d", attributes, inputs);
          });
    };
  }

  /** Takes maxima. The second setting says whether the channels are last. */
  static Kernel maxPool(GraphNode node) {
    Settings s = Settings.of(node);
    Attributes attributes =
        Attributes.of(Map.of("kernel", s.kernel, "stride", s.stride, "dilation", s.dilation));
    return x -> {
      requireImages(node, x[0]);
      return onImages(
          x[0],
          s.second,
          image ->
              Variable.apply("max_pool2d", attributes, padded(image, s, Double.NEGATIVE_INFINITY)));
    };
  }

  /** Takes means. If the first setting is 1, they include the padding. Otherwise like maxPool. */
  static Kernel averagePool(GraphNode node) {
    Settings s = Settings.of(node);
    if (s.dilation[0] != 1 || s.dilation[1] != 1) {
      throw node.bad("must not be dilated");
    }
    Attributes attributes = Attributes.of("kernel", s.kernel, "stride", s.stride);
    UnaryOperator<Variable> means =
        image -> Variable.apply("avg_pool2d", attributes, padded(image, s, 0));
    return x -> {
      requireImages(node, x[0]);
      return onImages(
          x[0],
          s.second,
          image ->
              s.first == 1 ? means.apply(image) : means.apply(image).div(means.apply(ones(image))));
    };
  }

  /** Returns one channel of ones: the mean of a window over it is the part that is not padding. */
  private static Variable ones(Variable image) {
    Tensor like = image.value();
    Tensor ones = Tensor.full(like.dtype(), 1, 1, 1, like.shape(2), like.shape(3));
    return Variable.of(ones.to(like.device()));
  }

  private static void requireImages(GraphNode node, Variable... x) {
    for (Variable each : x) {
      if (each.value().rank() != 4) {
        throw node.bad("takes images of rank 4; got " + GraphNode.shapes(x));
      }
    }
  }

  /** Applies a function that wants the channels first. */
  private static Variable onImages(Variable x, int channelsLast, UnaryOperator<Variable> f) {
    return channelsLast == 1
        ? GraphShapes.permuted(f.apply(GraphShapes.permuted(x, 0, 3, 1, 2)), 0, 2, 3, 1)
        : f.apply(x);
  }

  private static Variable padded(Variable x, Settings s, double value) {
    // Columns come first in the attribute; each side gets half of what keeps the size.
    long[] pad = new long[4];
    for (int i = 0; i < 2; i++) {
      long extent = x.value().shape(2 + i);
      long windows = (extent + s.stride[i] - 1) / s.stride[i];
      long reach = (windows - 1) * s.stride[i] + (s.kernel[i] - 1) * s.dilation[i] + 1;
      long missing = Math.max(0, reach - extent);
      pad[2 - 2 * i] = s.isPadded ? missing / 2 : s.padding[i];
      pad[3 - 2 * i] = s.isPadded ? missing - missing / 2 : s.padding[i];
    }
    return Arrays.stream(pad).allMatch(each -> each == 0)
        ? x
        : Variable.apply("pad", Attributes.of("pad", pad, "value", value), x);
  }
}
