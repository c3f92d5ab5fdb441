package io.hazelgrad.tests.autograd;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** Functions that the programs of these tests call. */
@RemoteFunctions
public final class GradientFunctions {
  /** Results of {@link #watched} that are still reachable. */
  static final Queue<WeakReference<Variable>> WATCHED = new ConcurrentLinkedQueue<>();

  private GradientFunctions() {}

  private static Variable weight() {
    return ProgramHost.here().weight();
  }

  /** Multiplies with this worker's weight. */
  public static Variable times(Variable x) {
    return x.mul(weight());
  }

  /** Multiplies like {@link #times}, and registers the result in {@link #WATCHED}. */
  public static Variable watched(Variable x) {
    Variable y = times(x);
    WATCHED.add(new WeakReference<>(y));
    return y;
  }

  /** Computes something here, then on the workers of a path in turn. */
  public static Variable hop(List<String> path, Variable x) {
    Variable y = x.mul(weight()).tanh();
    return path.isEmpty()
        ? y
        : ProgramHost.here()
            .call(
                path.get(0),
                GradientFunctions::hop,
                path.subList(1, path.size()).stream().toList(),
                y)
            .add(x);
  }

  /** Multiplies both arguments. */
  public static Variable join(Variable x, Variable y) {
    return x.mul(y).add(weight());
  }

  /** Sends x on over two paths that meet at C. */
  public static Variable diamond(Variable x) {
    ProgramHost here = ProgramHost.here();
    Variable left = here.call("A", GradientFunctions::times, x);
    Variable right = here.call("B", GradientFunctions::times, x.tanh());
    return here.call("C", GradientFunctions::join, left, right)
        .add(here.call("C", GradientFunctions::join, right, x));
  }

  /** Returns its first argument only. */
  public static Variable first(Variable x, Variable unused) {
    return x.mul(weight());
  }

  /** Returns five results. */
  public static List<Variable> five(Variable x) {
    return List.of(x.mul(weight()), x.neg(), weight().exp(), x.detach(), x.tanh());
  }

  /** Calls other workers and uses none of their results. */
  public static Variable wasteful(Variable x) {
    Variable unused = ProgramHost.here().call("C", GradientFunctions::times, x);
    return ProgramHost.here().call("C", GradientFunctions::first, x, unused).add(x);
  }

  /** Returns a value of this worker's own, without any input. */
  public static Variable own(double factor) {
    return weight().mul(Variable.of(Tensor.scalar(factor)));
  }

  /** Computes with arguments of several element types. */
  public static Variable mixed(List<Variable> list) {
    Variable sum = list.get(0).sum();
    for (Variable each : list.subList(1, list.size())) {
      sum = sum.add(each.mul(each).sum());
    }
    return sum;
  }

  /** Returns a scalar. */
  public static Variable summed(Variable x) {
    return times(x).sum();
  }

  /** Returns NaN for negative elements. */
  public static Variable logarithm(Variable x) {
    return Variable.apply("log", x);
  }

  /** Returns zeros, where the slope of the square root is infinite. */
  public static Variable rootOfNothing(Variable x) {
    return Variable.apply("sqrt", x.mul(Variable.of(Tensor.scalar(0))));
  }

  /** Fetches a variable from its owner. */
  public static Variable fetched(RRef<Variable> x) {
    return x.toHere().mul(weight());
  }

  /** Returns a reference to this worker's weight. */
  public static RRef<Variable> weightRef() {
    return RRefs.on(Grid.current()).local(weight());
  }

  /** Returns the gradient of this worker's weight in the context of the call, or null. */
  public static @Nullable Tensor gradient() {
    return context().gradient(weight());
  }

  /** Returns how many leaves of this worker have a gradient. */
  public static int gradients() {
    return context().gradients().size();
  }

  /** Runs a backward pass of this worker. */
  public static int backward(Variable x, boolean retainGraph) {
    context().backward(retainGraph, x.mul(weight()).sum());
    return 0;
  }

  /** Opens a context inside a context. */
  public static String nest() {
    try (Context context = Autograd.on(Grid.current()).open()) {
      return context.toString();
    }
  }

  /** Fails for all arguments but scalars. */
  public static Variable broken(Variable x) {
    if (x.value().size() > 1) {
      throw new IllegalStateException("no " + x.value().size() + " today");
    }
    return x.neg();
  }

  /** Uses a graph that an earlier pass of this worker has freed. */
  public static Variable freed(Variable x) {
    Variable shared = weight().mul(weight());
    Variable.parameter(Tensor.scalar(1)).mul(shared.detach()).sum().backward();
    shared.sum().backward();
    weight().zeroGrad();
    return x.mul(shared);
  }

  private static Context context() {
    return Objects.requireNonNull(Autograd.on(Grid.current()).current(), "no context");
  }
}
