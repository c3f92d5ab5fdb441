package io.hazelgrad.autograd.optim;

import io.hazelgrad.autograd.ops.Catalogue;
import io.hazelgrad.autograd.ops.InPlaceKernels;
import io.hazelgrad.autograd.ops.InPlaceKernels.Op;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The state of one of torch's optimizers: vectors of the parameter's size, and the number of steps.
 * A step allocates the parameter's new value, because others may hold the old tensor, and nothing
 * else of that size. It changes the kept vectors in place. All checks come before the first change.
 *
 * <p>The state stays on the device that the parameter had when it was created; a step brings the
 * parameter and the gradient there.
 *
 * <p>For parameters of 16-bit types, arithmetic and kept vectors are FLOAT32.
 */
abstract class ArrayState implements Optimizer.State {
  /** The elements of a block on the CPU, which its cache holds. */
  static final int BLOCK = 1024;

  private static final String STEP = "step";

  private final DType dtype;
  private final Device device;
  private final long[] shape;
  private final int size;
  private final double addedDecay;
  private final boolean maximize;
  private final Map<String, Vector> kept = new LinkedHashMap<>();
  private final Map<String, Double> initial = new LinkedHashMap<>();
  private final Map<String, Vector> scalars = new LinkedHashMap<>();
  private final List<Vector> scratch = new ArrayList<>();

  /** The operations of a step on a device; null on the CPU, which does them at once. */
  private final @Nullable DeviceProgram program;

  /** The elements of a block, which goes through all operations of a step before the next. */
  private final int block;

  /** The block's scaled gradient, perhaps negated, with decay; {@link #update} may change it. */
  final Vector gradient;

  /** The learning rate of the step. {@link #begin} may change it. */
  double rate;

  private long steps;

  /** Creates the state; {@code addedDecay} is the weight decay that is added to the gradient. */
  ArrayState(Tensor parameter, double addedDecay, boolean maximize) {
    this.dtype = parameter.dtype();
    this.shape = parameter.shape();
    this.size = parameter.size();
    this.addedDecay = addedDecay;
    this.maximize = maximize;
    this.device = parameter.device();
    InPlaceKernels kernels = device.isOfHost() ? null : Catalogue.backend(device).inPlace();
    this.program = kernels == null ? null : new DeviceProgram(device, kernels);
    this.block = kernels == null ? BLOCK : Math.max(1, size);
    this.gradient = scratch();
  }

  /** Declares a vector that is kept between steps; has elements from the first step on. */
  final Vector keep(String name, double initially) {
    Vector vector = empty();
    kept.put(name, vector);
    initial.put(name, initially);
    return vector;
  }

  private Vector empty() {
    return program == null ? HostVector.empty(dtype) : vector(program, Tensor.zeros(dtype, 0));
  }

  /** Returns a vector over the elements of a tensor: FLOAT64 as they are, others as FLOAT32. */
  private static DeviceVector vector(DeviceProgram program, Tensor tensor) {
    DType type = tensor.dtype() == DType.FLOAT64 ? DType.FLOAT64 : DType.FLOAT32;
    return new DeviceVector(program, program.onDevice(tensor).to(type).reshape(tensor.size()));
  }

  private Vector over(Tensor tensor) {
    return program == null ? HostVector.over(tensor) : vector(program, tensor);
  }

  private Vector copyOf(Tensor tensor) {
    return program == null ? HostVector.copyOf(tensor) : vector(program, tensor).copied();
  }

  /** Declares a FLOAT32 number that is kept between steps. */
  final Vector keepScalar(String name, float initially) {
    Vector scalar = new FloatVector(new float[] {initially});
    scalars.put(name, scalar);
    initial.put(name, (double) initially);
    return scalar;
  }

  /** Declares a vector for one block, whose elements mean nothing when a block begins. */
  final Vector scratch() {
    Vector vector = empty();
    scratch.add(vector);
    return vector;
  }

  /** Begins a step, counted from 1: computes its factors. */
  void begin(double step) {}

  /** Returns whether the gradient times the rate is all of the step. */
  boolean onlyAddsGradient() {
    return false;
  }

  final boolean isFirstStep() {
    return steps == 1;
  }

  /** Changes one block of the parameter and of what is kept. */
  abstract void update(Vector value);

  @Override
  public final Tensor step(Tensor value, Tensor gradient, double learningRate) {
    return step(value, gradient, learningRate, 1);
  }

  @Override
  public final Tensor step(Tensor value, Tensor newGradient, double learningRate, double scale) {
    check("the value", value, dtype);
    check("the gradient", newGradient, dtype);
    Vector all = over(newGradient);
    if (program != null) {
      program.clear(); // Of a step that failed.
    }
    allocate();
    steps++;
    rate = learningRate;
    begin((double) steps);
    Vector changed;
    if (scale == 1 && onlyAddsGradient()) { // A scale is another rounding.
      changed = over(value).plus(maximize ? rate : -rate, all);
    } else {
      changed = copyOf(value);
      inBlocks(changed, all, scale);
    }
    if (program != null) {
      program.run();
    }
    return changed.toTensor(shape).to(dtype).to(value.device());
  }

  private void inBlocks(Vector changed, Vector all, double scale) {
    for (int from = 0; from < size; from += block) {
      int count = Math.min(block, size - from);
      all.window(from, count);
      changed.window(from, count);
      for (Vector each : kept.values()) {
        each.window(from, count);
      }
      for (Vector each : scratch) {
        each.window(0, count);
      }
      gradient.apply(Op.SET, maximize ? -scale : scale, all);
      if (addedDecay != 0) {
        gradient.apply(Op.ADD, addedDecay, changed);
      }
      update(changed);
      changed.store();
      kept.values().forEach(Vector::store);
    }
  }

  private void check(String what, Tensor tensor, DType type) {
    if (tensor.dtype() != type || !tensor.hasShape(shape)) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "%s is %s%s, should be %s%s"
              .formatted(
                  what,
                  tensor.dtype(),
                  Arrays.toString(tensor.shape()),
                  type,
                  Arrays.toString(shape)));
    }
  }

  private void allocate() {
    if (steps == 0) {
      kept.forEach((name, vector) -> vector.fill(size, initial.getOrDefault(name, 0.0)));
    }
    if (gradient.size() < Math.min(block, size)) {
      scratch.forEach(each -> each.fill(Math.min(block, size), 0));
    }
  }

  @Override
  public final Map<String, Tensor> export() {
    Map<String, Tensor> result = new LinkedHashMap<>();
    if (steps > 0) {
      result.put(STEP, Tensor.wrap(new long[] {steps}));
      scalars.forEach((name, scalar) -> result.put(name, scalar.copy()));
      kept.forEach((name, vector) -> result.put(name, vector.copy(shape)));
    }
    return result;
  }

  @Override
  public final void restore(Map<String, Tensor> exported) {
    if (exported.isEmpty()) {
      steps = 0;
      scalars.forEach((name, scalar) -> scalar.fill(1, initial.getOrDefault(name, 0.0)));
      return;
    }
    long newSteps = checked(exported);
    steps = newSteps;
    scalars.forEach((name, scalar) -> scalar.load(get(exported, name)));
    kept.forEach((name, vector) -> vector.load(get(exported, name)));
  }

  /** Returns the number of steps if all is well. */
  private long checked(Map<String, Tensor> exported) {
    List<String> expected = new ArrayList<>(List.of(STEP));
    expected.addAll(scalars.keySet());
    expected.addAll(kept.keySet());
    if (!exported.keySet().equals(Set.copyOf(expected))) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "the state of another optimizer: it has %s, should have %s"
              .formatted(new TreeSet<>(exported.keySet()), new TreeSet<>(expected)));
    }
    DType type = dtype == DType.FLOAT64 ? dtype : DType.FLOAT32;
    kept.keySet().forEach(name -> check(name, get(exported, name), type));
    scalars.keySet().forEach(name -> scalar(name, get(exported, name), DType.FLOAT32));
    Tensor step = get(exported, STEP);
    scalar(STEP, step, DType.INT64);
    long count = step.storage().getLong(0);
    if (count < 1) {
      throw new GridException(Status.BAD_ARGUMENT, "step is " + count + ", should be at least 1");
    }
    return count;
  }

  private static void scalar(String name, Tensor tensor, DType type) {
    if (tensor.dtype() != type || tensor.rank() != 0) {
      throw new GridException(
          Status.BAD_ARGUMENT, name + " is " + tensor + ", should be a scalar of " + type);
    }
  }

  private static Tensor get(Map<String, Tensor> exported, String name) {
    return Objects.requireNonNull(exported.get(name), name);
  }
}
