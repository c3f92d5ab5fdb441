package io.hazelgrad.bench;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Graphs of additions of one element on the other worker, forward and backward. */
final class AutogradBench {
  private static final String TRANSPORT = "tcp";

  /** Forward, backward, and all. */
  private static final int PHASES = 3;

  private final Grid caller;
  private final String callee;
  private final WarmUp warmUp;
  private final Consumer<Figure> figures;
  private final Function<Variable> add = Function.operator("add");
  private final Variable x = Variable.parameter(Tensor.full(DType.FLOAT32, 1, 1));
  private final Variable b = Variable.of(Tensor.full(DType.FLOAT32, 1, 1));

  AutogradBench(Grid caller, String callee, Consumer<Figure> figures) {
    this.caller = caller;
    this.callee = callee;
    this.warmUp = new WarmUp(caller, callee);
    this.figures = figures;
  }

  void run() {
    Autograd autograd = Autograd.on(caller);
    long[] empty = Sampling.time(() -> autograd.open().close(), 500, 5000);
    figures.accept(Figure.latency("dist_context_empty", Map.of("transport", TRANSPORT), empty));
    measure("one", 1, () -> chain(1), 2000);
    measure("chain", 10, () -> chain(10), 500);
    measure("chain", 100, () -> chain(100), 60);
    measure("wide", 100, () -> wide(100), 150);
    measure("nested", 10, () -> nested(10), 500);
    measure("nested", 100, () -> nested(100), 50);
    figures.accept(warmUp.figure("autograd"));
  }

  /** Each call takes the result of the last one. */
  private Variable chain(int calls) {
    Variable y = x;
    for (int call = 0; call < calls; call++) {
      y = caller.rpc().sync(callee, add, y, b);
    }
    return y;
  }

  /** All calls are under way at once; their results are summed. */
  private Variable wide(int calls) {
    List<CompletableFuture<Variable>> flying = new ArrayList<>();
    for (int call = 0; call < calls; call++) {
      flying.add(caller.rpc().async(callee, add, x, b));
    }
    Variable[] all = flying.stream().map(CompletableFuture::join).toArray(Variable[]::new);
    return Variable.apply("stack", all);
  }

  /** The workers call each other by turns, so deep. */
  private Variable nested(int calls) {
    List<String> turned = List.of(callee, caller.worker().name());
    return caller.rpc().sync(callee, BenchFunctions.NESTED, x.add(b), b, calls - 1, turned);
  }

  private void measure(String graph, int calls, Supplier<Variable> run, int samples) {
    warmUp.run(() -> pass(run, new long[PHASES]));
    long[][] nanos = Sampling.phases(PHASES, samples, phases -> pass(run, phases));
    report("autograd_forward", graph, calls, nanos[0]);
    report("autograd_backward", graph, calls, nanos[1]);
    report("autograd_total", graph, calls, nanos[2]);
  }

  /** Runs a graph forward and backward; {@code nanos} gets the times of both, and of all. */
  private void pass(Supplier<Variable> run, long[] nanos) {
    long start = System.nanoTime();
    try (Context context = Autograd.on(caller).open()) {
      Variable y = run.get();
      long middle = System.nanoTime();
      context.backward(y.sum());
      nanos[0] = middle - start;
      nanos[1] = System.nanoTime() - middle;
      if (context.gradient(x) == null) {
        throw new IllegalStateException("there is no gradient");
      }
    }
    nanos[2] = System.nanoTime() - start;
  }

  private void report(String name, String graph, int calls, long[] nanos) {
    figures.accept(
        Figure.latency(name, Map.of("graph", graph, "rpcs", calls, "transport", TRANSPORT), nanos));
  }
}
