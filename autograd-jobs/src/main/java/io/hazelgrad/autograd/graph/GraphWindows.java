package io.hazelgrad.autograd.graph;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.graph.GraphStep.Kernel;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * The operations of graphs on windows over images: convolution and pooling.
 *
 * <p>SameDiff stores 11 integers with each: kernel, stride, padding and dilation, rows before
 * columns; 1 for as much padding as keeps the size of the image, divided by the stride; then two
 * that differ.
 */
final class GraphWindows {
  private static final int SETTINGS = 11;
  private static final int FIRST_FLAG = 8;
  private static final long MOST = 1 << 16;

  /** The orders that bring weights to [out, in, rows, columns], by SameDiff's number. */
  private static final int[][] WEIGHTS = {{3, 2, 0, 1}, {0, 1, 2, 3}, {0, 3, 1, 2}};

  private GraphWindows() {}

  static Kernel convolution(GraphNode node) {
    long[] s = settings(node);
    Attributes attributes = Attributes.of("stride", pair(s, 2), "dilation", pair(s, 6));
    return x -> {
      requireImages(node, x[0], x[1]);
      Variable weight = GraphShapes.permuted(x[1], WEIGHTS[(int) s[10]]);
      if (weight.value().shape(2) != s[0] || weight.value().shape(3) != s[1]) {
        throw node.bad("has a kernel of another size than its weight " + GraphNode.shapes(x[1]));
      }
      return onImages(
          x[0],
          s[9],
          image -> {
            Variable[] inputs = x.clone();
            inputs[0] = padded(image, s, 0);
            inputs[1] = weight;
            return Variable.apply("conv2d", attributes, inputs);
          });
    };
  }

  static Kernel maxPool(GraphNode node) {
    long[] s = settings(node);
    Attributes attributes =
        Attributes.of(Map.of("kernel", pair(s, 0), "stride", pair(s, 2), "dilation", pair(s, 6)));
    return x -> {
      requireImages(node, x[0]);
      return onImages(
          x[0],
          s[10],
          image ->
              Variable.apply("max_pool2d", attributes, padded(image, s, Double.NEGATIVE_INFINITY)));
    };
  }

  /** Takes means, of the padding too if the last but one setting is 1. */
  static Kernel averagePool(GraphNode node) {
    long[] s = settings(node);
    if (s[6] != 1 || s[7] != 1) {
      throw node.bad("must not be dilated");
    }
    Attributes attributes = Attributes.of("kernel", pair(s, 0), "stride", pair(s, 2));
    UnaryOperator<Variable> means =
        image -> Variable.apply("avg_pool2d", attributes, padded(image, s, 0));
    return x -> {
      requireImages(node, x[0]);
      return onImages(
          x[0],
          s[10],
          image ->
              s[9] == 1 ? means.apply(image) : means.apply(image).div(means.apply(ones(image))));
    };
  }

  /** Returns one channel of ones: the mean of a window over it is the part that is not padding. */
  private static Variable ones(Variable image) {
    Tensor like = image.value();
    Tensor ones = Tensor.full(like.dtype(), 1, 1, 1, like.shape(2), like.shape(3));
    return Variable.of(ones.to(like.device()));
  }

  /** Returns the settings, each within bounds that no arithmetic here exceeds. */
  private static long[] settings(GraphNode node) {
    long[] s = node.integers(SETTINGS);
    for (int i = 0; i < SETTINGS; i++) {
      boolean isPadding = i == 4 || i == 5;
      long least = i < FIRST_FLAG && !isPadding ? 1 : 0;
      long most = i < FIRST_FLAG ? MOST : i == SETTINGS - 1 ? WEIGHTS.length - 1 : 1;
      if (s[i] < least || s[i] > most) {
        throw node.bad("cannot have the settings " + Arrays.toString(s));
      }
    }
    return s;
  }

  private static long[] pair(long[] settings, int from) {
    return Arrays.copyOfRange(settings, from, from + 2);
  }

  private static void requireImages(GraphNode node, Variable... x) {
    for (Variable each : x) {
      if (each.value().rank() != 4) {
        throw node.bad("takes images of rank 4; got " + GraphNode.shapes(x));
      }
    }
  }

  /** Applies a function that wants the channels first. */
  private static Variable onImages(Variable x, long channelsLast, UnaryOperator<Variable> f) {
    return channelsLast == 1
        ? GraphShapes.permuted(f.apply(GraphShapes.permuted(x, 0, 3, 1, 2)), 0, 2, 3, 1)
        : f.apply(x);
  }

  private static Variable padded(Variable x, long[] s, double value) {
    // Columns come first in the attribute; each side gets half of what keeps the size.
    long[] pad = new long[4];
    for (int i = 0; i < 2; i++) {
      long extent = x.value().shape(2 + i);
      long windows = (extent + s[2 + i] - 1) / s[2 + i];
      long reach = (windows - 1) * s[2 + i] + (s[i] - 1) * s[6 + i] + 1;
      long missing = Math.max(0, reach - extent);
      pad[2 - 2 * i] = s[8] == 1 ? missing / 2 : s[4 + i];
      pad[3 - 2 * i] = s[8] == 1 ? missing - missing / 2 : s[4 + i];
    }
    return Arrays.stream(pad).allMatch(each -> each == 0)
        ? x
        : Variable.apply("pad", Attributes.of("pad", pad, "value", value), x);
  }
}
