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

/**
 * Graphs of additions of one element on the other worker, forward and backward. The warm-up is
 * longer than the peer's, until the JVM has compiled what runs.
 */
final class AutogradBench {
  private static final String TRANSPORT = "tcp";

  private final Grid caller;
  private final String callee;
  private final Consumer<Figure> figures;
  private final Function<Variable> add = Function.operator("add");
  private final Variable x = Variable.parameter(Tensor.full(DType.FLOAT32, 1, 1));
  private final Variable b = Variable.of(Tensor.full(DType.FLOAT32, 1, 1));

  AutogradBench(Grid caller, String callee, Consumer<Figure> figures) {
    this.caller = caller;
    this.callee = callee;
    this.figures = figures;
  }

  void run() {
    Autograd autograd = Autograd.on(caller);
    long[] empty = Sampling.time(() -> autograd.open().close(), 500, 5000);
    figures.accept(Figure.latency("dist_context_empty", Map.of("transport", TRANSPORT), empty));
    measure("one", 1, () -> chain(1), 20_000, 2000);
    measure("chain", 10, () -> chain(10), 2_000, 500);
    measure("chain", 100, () -> chain(100), 150, 60);
    measure("wide", 100, () -> wide(100), 300, 150);
    measure("nested", 10, () -> nested(10), 2_000, 500);
    measure("nested", 100, () -> nested(100), 150, 50);
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

  private void measure(String graph, int calls, Supplier<Variable> run, int warmUp, int samples) {
    long[] forward = new long[samples];
    long[] backward = new long[samples];
    long[] total = new long[samples];
    for (int i = -warmUp; i < samples; i++) {
      long start = System.nanoTime();
      Context context = Autograd.on(caller).open();
      long middle;
      long end;
      try {
        Variable y = run.get();
        middle = System.nanoTime();
        context.backward(y.sum());
        end = System.nanoTime();
        if (context.gradient(x) == null) {
          throw new IllegalStateException("there is no gradient");
        }
      } finally {
        context.close();
      }
      if (i >= 0) {
        forward[i] = middle - start;
        backward[i] = end - middle;
        total[i] = System.nanoTime() - start;
      }
    }
    report("autograd_forward", graph, calls, forward);
    report("autograd_backward", graph, calls, backward);
    report("autograd_total", graph, calls, total);
  }

  private void report(String name, String graph, int calls, long[] nanos) {
    figures.accept(
        Figure.latency(name, Map.of("graph", graph, "rpcs", calls, "transport", TRANSPORT), nanos));
  }
}
