package io.hazelgrad.autograd.internal.ops;

import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Forward;
import io.hazelgrad.autograd.ops.Operation;
import io.hazelgrad.autograd.ops.OperationErrors;
import io.hazelgrad.autograd.ops.Saved;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.autograd.spi.ShapeRules;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.spi.Trace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The base class of all operations. It checks arguments in a fixed order, then runs the formulas.
 *
 * <p>16-bit floating-point tensors are widened to FLOAT32 before the formulas and rounded once
 * after them, as torch's kernels do inside. Gradients of broadcast inputs are summed back here.
 */
public abstract class AbstractOperation implements Operation {
  /** The number of inputs of an operation that takes any number. */
  static final int MANY = Integer.MAX_VALUE;

  private final String name;
  private final String backwardName;
  private final int minInputs;
  private final int maxInputs;
  private final Set<String> attributeNames;

  public AbstractOperation(String name, int minInputs, int maxInputs, String... attributeNames) {
    this.name = name;
    this.backwardName = name + "_backward";
    this.minInputs = minInputs;
    this.maxInputs = maxInputs;
    this.attributeNames = Collections.unmodifiableSet(new TreeSet<>(List.of(attributeNames)));
  }

  /** Returns the names of attributes that a base class and a subclass have. */
  public static String[] concat(String[] names, String... more) {
    return Stream.of(names, more).flatMap(Stream::of).toArray(String[]::new);
  }

  /** Checks shapes, element types and attributes, and returns the type of the output. */
  public abstract TensorType type(List<TensorType> inputs, Attributes attributes);

  /** Computes the output. */
  public abstract Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes);

  /**
   * Returns the gradient of one input, in the shape of the input or of the broadcast input. An
   * operation overrides this or {@link #gradients}.
   */
  public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
    throw new IllegalStateException(name + " has no gradient of a single input");
  }

  /** Returns all gradients, null where not needed; an empty list if {@link #gradient} has them. */
  public List<@Nullable Tensor> gradients(
      Backend backend, Saved saved, Tensor gradOutput, boolean[] needed) {
    return List.of();
  }

  /** An output, the tensors to save for the gradients, and further outputs. */
  public record Computed(Tensor output, List<Tensor> saved, Map<String, Tensor> more) {
    public Computed(Tensor output, List<Tensor> saved) {
      this(output, saved, Map.of());
    }

    public static Computed of(Tensor output, Tensor... saved) {
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
  public final Set<String> attributes() {
    return attributeNames;
  }

  @Override
  public boolean differentiable(int input) {
    return true;
  }

  @Override
  public final TensorType check(List<TensorType> inputs, Attributes attributes) {
    if (inputs.size() < minInputs || inputs.size() > maxInputs) {
      throw bad("takes " + wanted() + " inputs, got " + inputs.size() + ": " + inputs);
    }
    attributes.checkNames(name, attributeNames);
    return type(inputs, attributes);
  }

  private String wanted() {
    if (maxInputs == MANY) {
      return "at least " + minInputs;
    }
    return minInputs == maxInputs ? "" + minInputs : minInputs + " to " + maxInputs;
  }

  @Override
  public final Forward forward(Backend backend, List<Tensor> inputs, Attributes attributes) {
    List<TensorType> types = types(inputs);
    TensorType type = check(types, attributes);
    Device device = deviceOf(inputs);
    if (device.isOfHost()) {
      requireRoom(type);
    }
    checkValues(inputs, attributes);
    List<Tensor> wide = new ArrayList<>();
    for (Tensor input : inputs) {
      wide.add(widen(input));
    }
    Trace.Span span = Trace.operation(name, inputs);
    try {
      Computed computed = compute(backend, wide, attributes);
      Map<String, Tensor> more = new HashMap<>();
      computed.more().forEach((key, value) -> more.put(key, value.to(device)));
      return new Forward(
          computed.output().to(type.dtype()).to(device),
          more,
          new Saved(name, types, type, attributes, computed.saved()));
    } catch (OutOfMemoryError e) {
      throw tooLarge(types, e);
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
      return needed(backend, saved, gradOutput, needed);
    } catch (OutOfMemoryError e) {
      throw tooLarge(saved.inputs(), e);
    } finally {
      span.close();
    }
  }

  public static List<TensorType> types(List<Tensor> inputs) {
    List<TensorType> types = new ArrayList<>();
    for (Tensor input : inputs) {
      types.add(TensorType.of(input));
    }
    return types;
  }

  /** Refuses a result that is larger than the whole heap. */
  private void requireRoom(TensorType type) {
    long heap = Runtime.getRuntime().maxMemory();
    long bytes = (long) type.size() * type.dtype().bytes();
    if (bytes > heap) {
      throw bad("the result " + type + " takes " + bytes + " bytes, the whole heap " + heap);
    }
  }

  /**
   * Returns the error for an array that did not fit into the heap. The process can continue: the
   * JVM refuses a large array as a whole, and the partial results are garbage.
   */
  private GridException tooLarge(List<TensorType> inputs, OutOfMemoryError e) {
    return new GridException(Status.REJECTED, name + ": no memory to compute with " + inputs, e);
  }

  private List<@Nullable Tensor> needed(
      Backend backend, Saved saved, Tensor gradOutput, boolean[] needed) {
    List<@Nullable Tensor> gradients = new ArrayList<>();
    Tensor wide = widen(gradOutput);
    Device device = gradOutput.device();
    List<@Nullable Tensor> all = gradients(backend, saved, wide, needed);
    for (int i = 0; i < needed.length; i++) {
      if (needed[i]) {
        TensorType input = saved.inputs().get(i);
        if (!differentiable(i) || !input.dtype().isFloating()) {
          throw bad("input " + i + " (" + input + ") has no gradient");
        }
        Tensor gradient =
            all.isEmpty()
                ? gradient(backend, saved, wide, i)
                : Objects.requireNonNull(all.get(i), "a gradient that is needed");
        Tensor summed = ShapeRules.sumTo(backend, gradient, input.shape());
        gradients.add(summed.to(input.dtype()).to(device));
      } else {
        gradients.add(null);
      }
    }
    return gradients;
  }

  /** Returns the device of all inputs, which is also that of the results. */
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

  /** Returns the dimension that an attribute names, counted from 0. The attribute must be there. */
  public final int dim(String which, long[] shape, Attributes attributes) {
    return ShapeRules.dim(name, which, attributes.integer(name, which), shape);
  }

  /**
   * Returns the dimension that the attribute {@code dim} names, counted from 0; 0 if it is absent.
   */
  final int dimOrFirst(long[] shape, Attributes attributes) {
    return ShapeRules.dim(name, "dim", attributes.integer(name, "dim", 0), shape);
  }

  /** Returns the dimensions that an attribute names, counted from 0, each of them once. */
  final int[] dims(String which, long[] dims, long[] shape) {
    return Arrays.stream(dims)
        .mapToInt(dim -> ShapeRules.dim(name, which, dim, shape))
        .distinct()
        .toArray();
  }

  /** Returns the list of integers of an attribute, which must be there. */
  final long[] integers(String which, Attributes attributes) {
    long[] integers = attributes.integers(name, which);
    if (integers == null) {
      throw bad("attribute " + which + " is missing");
    }
    return integers;
  }

  /** Refuses an input whose elements are not floating-point numbers. */
  public final void requireFloats(TensorType input) {
    if (!input.dtype().isFloating()) {
      throw bad("takes floating-point elements: " + input);
    }
  }

  /** Refuses an input that has not the element type of the first one and this shape. */
  public final void requireInput(List<TensorType> inputs, int input, long... shape) {
    TensorType wanted = new TensorType(name, inputs.get(0).dtype(), shape);
    if (!inputs.get(input).equals(wanted)) {
      throw bad("input " + input + " must be " + wanted + ": " + inputs.get(input));
    }
  }

  /** Returns an error with the name of this operation. */
  public final GridException bad(String message) {
    return OperationErrors.bad(name, message);
  }

  private static Tensor widen(Tensor tensor) {
    boolean half = tensor.dtype() == DType.FLOAT16 || tensor.dtype() == DType.BFLOAT16;
    return half ? tensor.to(DType.FLOAT32) : tensor;
  }
}
