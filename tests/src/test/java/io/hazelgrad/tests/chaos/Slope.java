package io.hazelgrad.tests.chaos;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.PassOptions;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.tests.Seat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A number that goes along a route of workers, each of which multiplies it by a leaf of its own. So
 * all gradients are known: of the number, and of the leaf of each worker.
 */
@RemoteFunctions
final class Slope {
  private static final double FACTOR = 3;
  private static final String LOOK = "look at a gradient";

  /** Of this process. */
  private static final Variable LEAF = Variable.parameter(Tensor.scalar(FACTOR));

  private final Seat seat;
  private final Book book;
  private final Pulse pulse;
  private final List<String> route;
  private final double number;
  private final Variable x;

  /** Who is who in the beginning; a worker that was started anew has lost its part. */
  private final Map<String, Long> ids;

  Slope(Seat seat, Book book, Pulse pulse, List<String> route, double number) {
    this.seat = seat;
    this.book = book;
    this.pulse = pulse;
    this.route = route;
    this.number = number;
    this.x = Variable.parameter(Tensor.scalar(number));
    this.ids =
        route.stream()
            .distinct()
            .collect(
                Collectors.toMap(
                    name -> name, name -> timed("find a worker", () -> seat.worker(name)).id()));
  }

  /** Runs forward and backward; all workers have their gradients then, or none has any. */
  void differentiate() {
    try (Context context = seat.service(Autograd.class).open()) {
      Variable y =
          timed(
              "forward",
              () ->
                  seat.rpc()
                      .within(Work.PATIENCE)
                      .sync(route.get(0), Slope::along, x, rest(route)));
      check("the product", y.value().item(), number * Math.pow(FACTOR, route.size()));
      PassOptions options = PassOptions.defaults().withDeadline(Work.PATIENCE);
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

  /** Its waits are told apart, since together they may take long. */
  private <T> T timed(String kind, Supplier<T> wait) {
    long start = pulse.nanoTime();
    try {
      return wait.get();
    } finally {
      book.took(kind, pulse.nanoTime() - start);
    }
  }

  /** Compares with so many times what one pass gives. */
  private void checkGradients(Context context, int passes) {
    int length = route.size();
    Tensor gradient = context.gradient(x);
    double found = gradient == null ? 0 : gradient.item();
    check("the gradient of the number", found, passes * Math.pow(FACTOR, length));
    for (String worker : new LinkedHashSet<>(route)) {
      double[] idAndSlope;
      try {
        idAndSlope = timed(LOOK, () -> seat.rpc().within(Work.PATIENCE).sync(worker, Slope::here));
      } catch (GridException e) {
        book.failed(LOOK, e);
        continue;
      }
      double id = Objects.requireNonNull(ids.get(worker)); // As it comes: exact to some hundreds.
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
      book.wrong(what + " was " + found + " and not " + expected + ", along " + route);
    }
  }

  private static List<String> rest(List<String> route) {
    return List.copyOf(route.subList(1, route.size()));
  }

  // ---- What runs on the workers.

  static Variable along(Variable x, List<String> route) {
    Variable y = x.mul(LEAF);
    return route.isEmpty()
        ? y
        : Grid.current()
            .rpc()
            .within(Work.PATIENCE)
            .sync(route.get(0), Slope::along, y, rest(route));
  }

  /** Returns the called worker's id, and the gradient that its leaf has in the caller's context. */
  static double[] here() {
    Grid grid = Grid.current();
    Context context = Autograd.on(grid).current();
    @Nullable Tensor gradient = context == null ? null : context.gradient(LEAF);
    return new double[] {grid.worker().id(), gradient == null ? 0 : gradient.item()};
  }

  /** Returns how many contexts and passes the called worker knows. */
  static int left() {
    Autograd autograd = Autograd.on(Grid.current());
    return autograd.contextCount() + autograd.passCount();
  }
}
