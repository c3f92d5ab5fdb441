package io.hazelgrad.autograd.training;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.optim.Optimizer;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One parameter and the state of its optimizer.
 *
 * <p>Threads: safe. The parameter is the lock: concurrent steps on one parameter run one after the
 * other, those on different parameters in parallel.
 */
final class ParameterSlot {
  private final String name;
  private final Variable parameter;
  private final Optimizer optimizer;
  private final int group;
  private Optimizer.State state;

  /** The value and state that {@link #commit} will install. */
  private @Nullable Staged staged;

  private record Staged(@Nullable Tensor value, Optimizer.State state) {}

  /** Makes the state of a parameter, which has a name for errors and is in a group. */
  ParameterSlot(String name, Variable parameter, Optimizer optimizer, int group) {
    this.name = name;
    this.parameter = parameter;
    this.optimizer = optimizer;
    this.group = group;
    if (!parameter.requiresGrad()) {
      throw new GridException(
          Status.BAD_ARGUMENT, name + " needs no gradient, so there is nothing to optimize");
    }
    this.state = newState();
  }

  private Optimizer.State newState() {
    return named(
        "cannot be optimized",
        () ->
            Objects.requireNonNull(
                optimizer.newState(parameter.value()), optimizer + " made no state"));
  }

  Variable parameter() {
    return parameter;
  }

  /** Returns the norm of the gradient, or {@link Clipping#NONE}. */
  double norm(Function<Variable, @Nullable Tensor> gradients) {
    Tensor gradient = gradients.apply(parameter);
    return gradient == null ? Clipping.NONE : Clipping.norm(gradient);
  }

  /** Makes a step if there is a gradient, and returns whether there was one. */
  boolean step(Function<Variable, @Nullable Tensor> gradients, double[] rates, double scale) {
    Tensor gradient = gradients.apply(parameter);
    if (gradient == null) {
      return false;
    }
    synchronized (parameter) {
      named(
          "made no step",
          () -> {
            parameter.set(state.step(parameter.value(), gradient, rates[group], scale));
            return true;
          });
    }
    return true;
  }

  ParameterSnapshot export(boolean withValue) {
    synchronized (parameter) {
      return named(
          "was not exported",
          () -> new ParameterSnapshot(withValue ? parameter.value() : null, state.export()));
    }
  }

  /** Checks a snapshot, and keeps its value and state until {@link #commit} or {@link #discard}. */
  void stage(ParameterSnapshot snapshot) {
    Tensor value = snapshot.value();
    Tensor now = parameter.value();
    if (value != null && (value.dtype() != now.dtype() || !value.hasShape(now.shape()))) {
      throw new GridException(
          Status.BAD_ARGUMENT, name + " is " + now + ", and cannot become " + value);
    }
    Optimizer.State fresh = newState();
    named(
        "cannot be restored",
        () -> {
          fresh.restore(snapshot.state());
          return true;
        });
    synchronized (parameter) {
      staged = new Staged(value, fresh);
    }
  }

  /** Installs the staged value and state. */
  void commit() {
    synchronized (parameter) {
      Staged ready = staged;
      if (ready == null) {
        throw new GridException(Status.INTERNAL, name + " has nothing to restore");
      }
      if (ready.value != null) {
        parameter.set(ready.value);
      }
      state = ready.state;
      staged = null;
    }
  }

  void discard() {
    synchronized (parameter) {
      staged = null;
    }
  }

  /** Adds the parameter's name to what something throws. */
  private <T> T named(String what, Supplier<T> work) {
    try {
      return work.get();
    } catch (GridException e) {
      throw new GridException(
          e.status(), name + " " + what + ": " + e.getMessage(), true, e.remote(), e);
    } catch (RuntimeException | StackOverflowError | LinkageError e) {
      throw new GridException(Status.USER_ERROR, name + " " + what + ": " + e, true, null, e);
    }
  }
}
