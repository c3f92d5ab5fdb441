package io.hazelgrad.autograd.onnx.operators;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.onnx.operators.OnnxKernel.Operator;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Convolutions, pooling and normalisations of ONNX. */
final class LayerOperators {
  private static final double EPSILON = 1e-5;

  private LayerOperators() {}

  static void addTo(Map<String, Operator> all) {
    all.put("Conv", Operator.of(2, 3, LayerOperators::convolution));
    all.put("MaxPool", Operator.of(1, LayerOperators::maxPool));
    all.put("AveragePool", Operator.of(1, LayerOperators::averagePool));
    all.put("GlobalAveragePool", Operator.of(1, node -> x -> global(node, "mean", x)));
    all.put("GlobalMaxPool", Operator.of(1, node -> x -> global(node, "amax", x)));
    all.put("BatchNormalization", Operator.of(5, LayerOperators::batchNorm));
    all.put("InstanceNormalization", Operator.of(3, LayerOperators::instanceNorm));
    all.put("LayerNormalization", Operator.of(2, 3, LayerOperators::layerNorm));
  }

  /** The windows of a node over one or two dimensions. */
  @SuppressWarnings("ArrayRecordComponent") // Not compared.
  private record Windows(
      OnnxNode node, long[] kernel, long[] stride, long[] dilation, long[] pads, String auto) {
    private static final long MOST = 1 << 16;

    static Windows of(OnnxNode node, long[] kernel) {
      int dims = kernel.length;
      if (dims < 1 || dims > 2) {
        throw node.unsupported("has " + dims + " dimensions; 1 and 2 run here");
      }
      Windows windows =
          new Windows(
              node,
              kernel,
              node.each("strides", dims, 1),
              node.each("dilations", dims, 1),
              node.each("pads", 2 * dims, 0),
              node.text("auto_pad", "NOTSET"));
      for (long[] positive : List.of(kernel, windows.stride, windows.dilation)) {
        windows.require(positive, 1);
      }
      windows.require(windows.pads, 0);
      return windows;
    }

    private void require(long[] numbers, long least) {
      if (Arrays.stream(numbers).anyMatch(each -> each < least || each > MOST)) {
        throw node.bad("has the numbers " + Arrays.toString(numbers));
      }
    }

    /** Returns the elements before and after each dimension: the first ones, then the last. */
    long[] pads(Tensor x) {
      int dims = kernel.length;
      long[] result = auto.equals("NOTSET") ? pads.clone() : new long[2 * dims];
      for (int i = 0; auto.startsWith("SAME") && i < dims; i++) {
        long extent = x.shape(2 + i);
        long count = (extent + stride[i] - 1) / stride[i];
        long missing =
            Math.max(0, (count - 1) * stride[i] + (kernel[i] - 1) * dilation[i] + 1 - extent);
        result[i] = auto.equals("SAME_LOWER") ? missing - missing / 2 : missing / 2;
        result[dims + i] = missing - result[i];
      }
      return result;
    }

    boolean isSymmetric(long[] pads, boolean pooled) {
      for (int i = 0; i < kernel.length; i++) {
        if (pads[i] != pads[kernel.length + i] || (pooled && pads[i] > kernel[i] / 2)) {
          return false;
        }
      }
      return true;
    }

    Variable padded(Variable x, double value, long[] pads) {
      int dims = kernel.length;
      long[] ordered = new long[2 * dims];
      for (int i = 0; i < dims; i++) {
        ordered[2 * (dims - 1 - i)] = pads[i];
        ordered[2 * (dims - 1 - i) + 1] = pads[dims + i];
      }
      return ShapeOperators.padded(x, "constant", value, ordered);
    }
  }

  private static OnnxKernel.Single convolution(OnnxNode node) {
    long groups = node.integer("group", 1);
    return x -> {
      Variable input = node.required(0, x);
      Tensor weight = node.required(1, x).value();
      if (weight.rank() < 3 || input.value().rank() != weight.rank()) {
        throw node.bad("takes x and w of one rank, got " + input.value() + " and " + weight);
      }
      Windows windows = Windows.of(node, Arrays.copyOfRange(weight.shape(), 2, weight.rank()));
      long[] declared = node.integers("kernel_shape");
      if (declared != null && !Arrays.equals(declared, windows.kernel)) {
        throw node.bad("declares another kernel than that of its weight " + weight);
      }
      long[] pads = windows.pads(input.value());
      boolean symmetric = windows.isSymmetric(pads, false);
      Attributes attributes =
          Attributes.of(
              Map.of(
                  "stride",
                  windows.stride,
                  "dilation",
                  windows.dilation,
                  "padding",
                  symmetric ? Arrays.copyOf(pads, pads.length / 2) : new long[] {0},
                  "groups",
                  groups));
      @Nullable Variable[] inputs = x.clone();
      inputs[0] = symmetric ? input : windows.padded(input, 0, pads);
      if (inputs.length == 3 && inputs[2] == null) {
        inputs = Arrays.copyOf(inputs, 2);
      }
      return OnnxKernel.apply(
          windows.kernel.length == 1 ? "conv1d" : "conv2d", attributes, node, inputs);
    };
  }

  private static long[] kernel(OnnxNode node) {
    long[] kernel = node.integers("kernel_shape");
    if (kernel == null) {
      throw node.bad("lacks kernel_shape");
    }
    return kernel;
  }

  private static OnnxKernel.Single maxPool(OnnxNode node) {
    Windows windows = Windows.of(node, kernel(node));
    boolean ceil = node.flag("ceil_mode", false);
    return x -> {
      Variable input = node.required(0, x);
      requireImages(node, input, windows);
      long[] pads = windows.pads(input.value());
      boolean symmetric = windows.isSymmetric(pads, true);
      Variable padded = symmetric ? input : windows.padded(input, Double.NEGATIVE_INFINITY, pads);
      Map<String, Object> settings = settings(windows, symmetric ? pads : new long[4], ceil);
      settings.put("dilation", two(windows.dilation, 1));
      return pooled("max_pool2d", settings, padded);
    };
  }

  private static OnnxKernel.Single averagePool(OnnxNode node) {
    Windows windows = Windows.of(node, kernel(node));
    boolean ceil = node.flag("ceil_mode", false);
    boolean counted = node.flag("count_include_pad", false);
    if (Arrays.stream(windows.dilation).anyMatch(each -> each != 1)) {
      throw node.unsupported("with dilations does not run here");
    }
    return x -> {
      Variable input = node.required(0, x);
      requireImages(node, input, windows);
      long[] pads = windows.pads(input.value());
      if (windows.isSymmetric(pads, true)) {
        Map<String, Object> settings = settings(windows, pads, ceil);
        settings.put("count_include_pad", counted);
        return pooled("avg_pool2d", settings, input);
      }
      Map<String, Object> settings = settings(windows, new long[4], ceil);
      Variable means = pooled("avg_pool2d", settings, windows.padded(input, 0, pads));
      if (counted) {
        return means;
      }
      // The mean of ones is the part of a window that is not padding.
      Variable ones =
          Variable.of(
              Tensor.full(input.value().dtype(), 1, input.value().shape())
                  .to(input.value().device()));
      return means.div(pooled("avg_pool2d", settings, windows.padded(ones, 0, pads)));
    };
  }

  private static void requireImages(OnnxNode node, Variable x, Windows windows) {
    if (x.value().rank() != windows.kernel.length + 2) {
      throw node.bad("takes [N, C, ..] with " + windows.kernel.length + " more, got " + x.value());
    }
  }

  private static Map<String, Object> settings(Windows windows, long[] pads, boolean ceil) {
    Map<String, Object> settings = new HashMap<>();
    settings.put("kernel", two(windows.kernel, 1));
    settings.put("stride", two(windows.stride, 1));
    settings.put("padding", two(Arrays.copyOf(pads, windows.kernel.length), 0));
    settings.put("ceil_mode", ceil);
    return settings;
  }

  /** Returns numbers for two dimensions; one dimension is a column of height 1. */
  private static long[] two(long[] numbers, long first) {
    return numbers.length == 1 ? new long[] {first, numbers[0]} : numbers;
  }

  private static Variable pooled(String operation, Map<String, Object> settings, Variable x) {
    boolean line = x.value().rank() == 3;
    Variable plane = line ? Ops.unsqueeze(x, 2) : x;
    Variable y = Variable.apply(operation, Attributes.of(settings), plane);
    return line ? Ops.squeeze(y, 2) : y;
  }

  private static Variable global(OnnxNode node, String operation, @Nullable Variable... x) {
    Variable input = node.required(0, x);
    long[] dims = LongStream.range(2, Math.max(2, input.value().rank())).toArray();
    if (dims.length == 0) {
      throw node.bad("takes [N, C, ..], got " + input.value());
    }
    return Variable.apply(operation, Attributes.of("dim", dims, "keepdim", true), input);
  }

  private static OnnxKernel.Single batchNorm(OnnxNode node) {
    if (node.flag("training_mode", false)) {
      throw node.unsupported("is in training mode; export the model for inference");
    }
    Attributes eps = Attributes.of("eps", node.number("epsilon", EPSILON));
    return x ->
        Variable.apply(
            "batch_norm",
            eps,
            node.required(0, x),
            node.required(3, x),
            node.required(4, x),
            node.required(1, x),
            node.required(2, x));
  }

  private static OnnxKernel.Single instanceNorm(OnnxNode node) {
    double eps = node.number("epsilon", EPSILON);
    return x -> {
      Variable input = node.required(0, x);
      int rank = input.value().rank();
      if (rank < 3) {
        throw node.bad("takes [N, C, ..], got " + input.value());
      }
      Map<String, Object> along =
          Map.of("dim", LongStream.range(2, rank).toArray(), "keepdim", true);
      Map<String, Object> biased = new HashMap<>(along);
      biased.put("unbiased", false);
      Variable variance = Variable.apply("var", Attributes.of(biased), input);
      Variable y =
          input
              .sub(Variable.apply("mean", Attributes.of(along), input))
              .mul(Variable.apply("rsqrt", variance.add(Ops.number(variance, eps))));
      long[] channels = new long[rank - 1];
      Arrays.fill(channels, 1);
      channels[0] = -1;
      return y.mul(node.required(1, x).reshape(channels))
          .add(node.required(2, x).reshape(channels));
    };
  }

  private static OnnxKernel.Single layerNorm(OnnxNode node) {
    double eps = node.number("epsilon", EPSILON);
    long axis = node.integer("axis", -1);
    return x -> {
      Variable input = node.required(0, x);
      int rank = input.value().rank();
      long[] shape = input.value().shape();
      long[] normalized = Arrays.copyOfRange(shape, node.dim(axis, rank), rank);
      List<Variable> inputs = new ArrayList<>(List.of(input));
      for (Variable each : new @Nullable Variable[] {x[1], OnnxNode.optional(2, x)}) {
        if (each != null) {
          // ONNX lets it broadcast.
          inputs.add(
              each.value().hasShape(normalized)
                  ? each
                  : Variable.apply("expand", Attributes.of("shape", normalized), each));
        }
      }
      return Variable.apply(
          "layer_norm",
          Attributes.of("normalized_shape", normalized, "eps", eps),
          inputs.toArray(Variable[]::new));
    };
  }
}
