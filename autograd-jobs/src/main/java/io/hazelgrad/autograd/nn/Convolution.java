package io.hazelgrad.autograd.nn;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Catalogue;
import io.hazelgrad.autograd.ops.TensorType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The base class of convolutions over one and two dimensions, as {@code torch.nn.Conv1d} and {@code
 * Conv2d}, with their parameters {@code weight} [outputs, inputs / groups, kernel..] and {@code
 * bias} [outputs] and their initial values.
 *
 * <p>Threads: safe.
 */
public abstract sealed class Convolution extends Module<Variable, Variable> permits Conv1d, Conv2d {
  private final String operation;
  private final Attributes attributes;

  /** The attributes of a separate padding operation; null if the padding is zeros. */
  private final @Nullable Attributes padding;

  private final Variable weight;
  private final @Nullable Variable bias;

  Convolution(
      String operation, int inputs, int outputs, long[] kernel, ConvOptions options, Init init) {
    this.operation = operation;
    this.padding = padding(kernel.length, options);
    this.attributes = (padding == null ? options : options.withPadding(0)).attributes();
    atLeast("inputs", inputs, 1);
    atLeast("outputs", outputs, 1);
    if (inputs % options.groups() != 0) {
      throw bad("groups=" + options.groups() + " must divide inputs=" + inputs);
    }
    long[] shape = new long[kernel.length + 2];
    shape[0] = outputs;
    shape[1] = inputs / options.groups();
    long sums = shape[1];
    for (int i = 0; i < kernel.length; i++) {
      atLeast("kernel", (int) kernel[i], 1);
      shape[i + 2] = kernel[i];
      sums *= kernel[i];
    }
    weight = parameter("weight", init.forSumsOf(sums, shape));
    bias = options.biased() ? parameter("bias", init.forSumsOf(sums, outputs)) : null;
    checkAttributes(inputs, shape, options);
  }

  private static @Nullable Attributes padding(int dimensions, ConvOptions options) {
    if (options.paddingMode() == ConvOptions.PaddingMode.ZEROS) {
      return null;
    }
    List<Integer> sizes = options.padding();
    if (sizes.size() != 1 && sizes.size() != dimensions) {
      throw bad("padding=" + sizes + " must have one element or " + dimensions);
    }
    List<Integer> pad = new ArrayList<>();
    for (int dim = dimensions - 1; dim >= 0; dim--) {
      int size = sizes.get(sizes.size() == 1 ? 0 : dim);
      atLeast("padding", size, 0);
      pad.add(size);
      pad.add(size);
    }
    String mode = options.paddingMode().name().toLowerCase(Locale.ROOT);
    return Attributes.of(Map.of("pad", pad, "mode", mode));
  }

  /** Lets the operation check its attributes now, with an input that is large enough. */
  private void checkAttributes(int inputs, long[] weightShape, ConvOptions options) {
    long[] input = new long[weightShape.length];
    input[1] = inputs;
    long dilation = options.dilation().stream().mapToLong(each -> each).max().orElse(1);
    for (int i = 2; i < input.length; i++) {
      input[i] = Math.max(1, dilation) * weightShape[i];
    }
    List<TensorType> types =
        List.of(new TensorType(weight.value().dtype(), input), TensorType.of(weight.value()));
    TensorType unused = Catalogue.get(operation).check(types, attributes);
  }

  @Override
  public final Variable forward(Variable x) {
    Variable padded = padding == null ? x : Variable.apply("pad", padding, x);
    return bias == null
        ? Variable.apply(operation, attributes, padded, weight)
        : Variable.apply(operation, attributes, padded, weight, bias);
  }
}
