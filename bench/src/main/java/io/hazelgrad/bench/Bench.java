package io.hazelgrad.bench;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.launcher.LocalCluster;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** The measurements of a {@link BenchGroup}. They are made by the worker of this JVM. */
abstract class Bench {
  /** The parameters of most figures; the name is that of torch.distributed.rpc's benchmark. */
  static final Map<String, Object> TCP = Map.of("transport", "tcp");

  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration PAUSE = Duration.ofMillis(2);

  final Grid caller;

  /** The names of the other workers. */
  final List<String> others;

  final WarmUp warmUp;
  final Function<Variable> add = Function.operator("add");

  /** A constant and a parameter of one element, the usual arguments of calls. */
  final Variable one = BenchFunctions.small();

  final Variable parameter = Variable.parameter(Tensor.full(DType.FLOAT32, 1, 1));

  private final Consumer<Figure> figures;

  Bench(Setting setting) {
    caller = setting.caller;
    others = setting.others;
    warmUp = new WarmUp(caller, others);
    figures = setting.figures;
  }

  /** The surroundings of a benchmark; {@code most} is for {@link ScaleBench}. */
  record Setting(
      Grid caller,
      List<String> others,
      LocalCluster processes,
      int most,
      Consumer<Figure> figures) {}

  abstract void run();

  /** Measures, then reports the time of the warm-up if there was one. */
  final void run(String group) {
    run();
    if (warmUp.seconds() > 0) {
      report("warm_up", Map.of("group", group), warmUp.seconds(), "s", 1);
    }
  }

  /** Warms up, then times {@code n} runs and reports them. */
  final void latency(String name, int n, Runnable run) {
    warmUp.run(run);
    latency(name, TCP, Sampling.time(run, 0, n));
  }

  /** Reports timed samples and returns their median in microseconds. */
  final double latency(String name, Map<String, Object> params, long[] nanos) {
    Figure figure = Figure.latency(name, params, nanos);
    figures.accept(figure);
    return figure.value();
  }

  /** Reports {@code n} events in a time, per second. */
  final void rate(String name, Map<String, Object> params, String unit, int n, long nanos) {
    figures.accept(Figure.rate(name, params, unit, n, nanos));
  }

  final void report(String name, Map<String, Object> params, double value, String unit, int n) {
    figures.accept(Figure.of(name, params, value, unit, n));
  }

  /** Polls a condition that has no event; a failure after two minutes says what was awaited. */
  static void until(String what, BooleanSupplier holds) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!holds.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new IllegalStateException("not within " + PATIENCE.toSeconds() + " s: " + what);
      }
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }

  final void awaitObjects(String owner, int n) {
    until(
        owner + " owns " + n + " objects",
        () -> caller.rpc().sync(owner, BenchFunctions::objects) == n);
  }
}
