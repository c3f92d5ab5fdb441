package io.hazelgrad.autograd.ops;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.spi.Trace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What all operations have in common: the order of checks, and the frame around the formulas.
 *
 * <p>16-bit floating-point tensors are widened to FLOAT32 before the formulas and rounded once
 * after them, as torch's kernels do inside. Gradients of broadcast inputs are summed back here.
 */
abstract class AbstractOperation implements Operation {
  private final String name;
  private final String backwardName;
  private final int minInputs;
  private final int maxInputs;
  private final Set<String> attributeNames;

  AbstractOperation(String name, int minInputs, int maxInputs, String... attributeNames) {
    this.name = name;
    this.backwardName = name + "_backward";
    this.minInputs = minInputs;
    this.maxInputs = maxInputs;
    this.attributeNames = new TreeSet<>(List.of(attributeNames));
  }

  /** The shape rule: checks shapes, element types and attributes. */
  abstract TensorType type(List<TensorType> inputs, Attributes attributes);

  /** The formula. */
  abstract Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes);

  /** The gradient of one input; it may still have the shape that the input was broadcast to. */
  abstract Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input);

  /** An output with what is to be saved. */
  record Computed(Tensor output, List<Tensor> saved) {
    static Computed of(Tensor output, Tensor... saved) {
      return new Computed(output, List.of(saved));
    }
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final int minInputs() {
    return minInputs;
  }

  @Override
  public final int maxInputs() {
    return maxInputs;
  }

  @Override
  public boolean differentiable(int input) {
    return true;
  }

  @Override
  public final TensorType check(List<TensorType> inputs, Attributes attributes) {
    if (inputs.size() < minInputs || inputs.size() > maxInputs) {
      String wanted = minInputs == maxInputs ? "" + minInputs : minInputs + " to " + maxInputs;
      throw bad("takes " + wanted + " inputs, got " + inputs.size() + ": " + inputs);
    }
    attributes.checkNames(name, attributeNames);
    return type(inputs, attributes);
  }

  @Override
  public final Forward forward(Backend backend, List<Tensor> inputs, Attributes attributes) {
    List<TensorType> types = new ArrayList<>();
    for (Tensor input : inputs) {
      types.add(TensorType.of(input));
    }
    TensorType type = check(types, attributes);
    Device device = deviceOf(inputs);
    checkValues(inputs, attributes);
    List<Tensor> wide = new ArrayList<>();
    for (Tensor input : inputs) {
      wide.add(widen(input));
    }
    Trace.Span span = Trace.operation(name, inputs);
    try {
      Computed computed = compute(backend, wide, attributes);
      return new Forward(
          computed.output().to(type.dtype()).to(device),
          new Saved(name, types, type, attributes, computed.saved()));
    } finally {
      span.close();
    }
  }

  @Override
  public final List<@Nullable Tensor> backward(
      Backend backend, Saved saved, Tensor gradOutput, boolean[] needed) {
    if (!saved.operation().equals(name)) {
      throw bad("got what " + saved.operation() + " saved");
    }
    if (needed.length != saved.inputs().size()) {
      throw bad("needed=" + Arrays.toString(needed) + " for inputs " + saved.inputs());
    }
    if (!TensorType.of(gradOutput).equals(saved.output())) {
      throw bad("the gradient is " + TensorType.of(gradOutput) + ", the output " + saved.output());
    }
    Trace.Span span = Trace.operation(backwardName, List.of(gradOutput));
    try {
      return gradients(backend, saved, gradOutput, needed);
    } finally {
      span.close();
    }
  }

  private List<@Nullable Tensor> gradients(
      Backend backend, Saved saved, Tensor gradOutput, boolean[] needed) {
    List<@Nullable Tensor> gradients = new ArrayList<>();
    Tensor wide = widen(gradOutput);
    Device device = gradOutput.device();
    for (int i = 0; i < needed.length; i++) {
      if (needed[i]) {
        TensorType input = saved.inputs().get(i);
        if (!differentiable(i) || !input.dtype().isFloating()) {
          throw bad("input " + i + " (" + input + ") has no gradient");
        }
        Tensor gradient = gradient(backend, saved, wide, i);
        Tensor summed = Shapes.sumTo(backend, gradient, input.shape());
        gradients.add(summed.to(input.dtype()).to(device));
      } else {
        gradients.add(null);
      }
    }
    return gradients;
  }

  /** Returns where all inputs are; the results belong there, too. */
  private Device deviceOf(List<Tensor> inputs) {
    Device device = inputs.isEmpty() ? Device.CPU : inputs.get(0).device();
    for (Tensor input : inputs) {
      if (!input.device().equals(device)) {
        throw bad(
            "takes inputs on one device, got "
                + inputs.stream().map(Tensor::device).toList()
                + "; move them with to(Device)");
      }
    }
    return device;
  }

  /** Makes a failure that names this operation. */
  final GridException bad(String message) {
    return Failures.bad(name, message);
  }

  private static Tensor widen(Tensor tensor) {
    boolean half = tensor.dtype() == DType.FLOAT16 || tensor.dtype() == DType.BFLOAT16;
    return half ? tensor.to(DType.FLOAT32) : tensor;
  }
}
