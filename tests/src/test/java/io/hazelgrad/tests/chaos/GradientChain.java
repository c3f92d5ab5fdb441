package io.hazelgrad.tests.chaos;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.PassOptions;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.tests.TestDriver;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Backward passes over a number that travels along a route of workers. Each worker multiplies the
 * number by a leaf of its own, so all gradients are known: that of the number and that of each
 * leaf.
 */
@RemoteFunctions
final class GradientChain {
  private static final double FACTOR = 3;
  private static final String LOOK = "look at a gradient";

  /** Leaf of this process. */
  private static final Variable LEAF = Variable.parameter(Tensor.scalar(FACTOR));

  private final TestDriver driver;
  private final ResultLog results;
  private final PauseDetector pauses;
  private final List<String> route;
  private final double number;
  private final Variable x;

  /** Ids of the workers at the start. A worker that was started again has lost its part. */
  private final Map<String, Long> ids;

  GradientChain(
      TestDriver driver,
      ResultLog results,
      PauseDetector pauses,
      List<String> route,
      double number) {
    this.driver = driver;
    this.results = results;
    this.pauses = pauses;
    this.route = route;
    this.number = number;
    this.x = Variable.parameter(Tensor.scalar(number));
    this.ids =
        route.stream()
            .distinct()
            .collect(
                Collectors.toMap(
                    name -> name, name -> timed("find a worker", () -> driver.worker(name)).id()));
  }

  /** Runs forward and backward. Afterwards all workers have their gradients, or none has any. */
  void differentiate() {
    try (Context context = driver.service(Autograd.class).open()) {
      Variable y =
          timed(
              "forward",
              () ->
                  driver
                      .rpc()
                      .within(RandomWork.PATIENCE)
                      .sync(route.get(0), GradientChain::along, x, rest(route)));
      check("the product", y.value().item(), number * Math.pow(FACTOR, route.size()));
      PassOptions options = PassOptions.defaults().withDeadline(RandomWork.PATIENCE);
      try {
        timed(
            "backward",
            () -> {
              context.backward(options, y);
              return y;
            });
      } catch (GridException e) {
        checkGradients(context, 0);
        throw e;
      }
      checkGradients(context, 1);
    }
  }

  /** Measures its waits separately, since they may be long together. */
  private <T> T timed(String kind, Supplier<T> wait) {
    long start = pauses.nanoTime();
    try {
      return wait.get();
    } finally {
      results.took(kind, pauses.nanoTime() - start);
    }
  }

  /** Compares the gradients with a multiple of those of one pass. */
  private void checkGradients(Context context, int passes) {
    int length = route.size();
    Tensor gradient = context.gradient(x);
    double found = gradient == null ? 0 : gradient.item();
    check("the gradient of the number", found, passes * Math.pow(FACTOR, length));
    for (String worker : new LinkedHashSet<>(route)) {
      double[] idAndSlope;
      long start = System.nanoTime();
      try {
        idAndSlope =
            timed(
                LOOK,
                () -> driver.rpc().within(RandomWork.PATIENCE).sync(worker, GradientChain::here));
      } catch (GridException e) {
        results.failed(LOOK, start, e);
        continue;
      }
      double id =
          Objects.requireNonNull(
              ids.get(worker)); // The id travels as a double and is exact for small numbers.
      if (Double.compare(id, idAndSlope[0]) == 0) {
        long times = route.stream().filter(worker::equals).count();
        check(
            "the gradient on " + worker,
            idAndSlope[1],
            passes * times * number * Math.pow(FACTOR, length - 1));
      }
    }
  }

  private void check(String what, double found, double expected) {
    if (Double.compare(found, expected) != 0) {
      results.wrong(what + " was " + found + " and not " + expected + ", along " + route);
    }
  }

  private static List<String> rest(List<String> route) {
    return List.copyOf(route.subList(1, route.size()));
  }

  // ---- Functions that run on the workers.

  static Variable along(Variable x, List<String> route) {
    Variable y = x.mul(LEAF);
    return route.isEmpty()
        ? y
        : Grid.current()
            .rpc()
            .within(RandomWork.PATIENCE)
            .sync(route.get(0), GradientChain::along, y, rest(route));
  }

  /** Returns the called worker's id and the gradient of its leaf in the caller's context. */
  static double[] here() {
    Grid grid = Grid.current();
    Context context = Autograd.on(grid).current();
    @Nullable Tensor gradient = context == null ? null : context.gradient(LEAF);
    return new double[] {grid.worker().id(), gradient == null ? 0 : gradient.item()};
  }

  /** Returns the number of contexts and passes that the called worker knows. */
  static int left() {
    Autograd autograd = Autograd.on(Grid.current());
    return autograd.contextCount() + autograd.passCount();
  }
}
