package io.hazelgrad.bench;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.Tensor;
import java.util.Map;
import java.util.function.Consumer;

/** Graphs of additions of one element on the other worker, forward and backward. */
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
    chain("one", 1, 500, 2000);
    chain("chain", 10, 100, 500);
  }

  /** Each call takes the result of the last one. */
  private void chain(String graph, int calls, int warmUp, int samples) {
    long[] forward = new long[samples];
    long[] backward = new long[samples];
    long[] total = new long[samples];
    for (int i = -warmUp; i < samples; i++) {
      long start = System.nanoTime();
      Context context = Autograd.on(caller).open();
      long middle;
      long end;
      try {
        Variable y = x;
        for (int call = 0; call < calls; call++) {
          y = caller.rpc().sync(callee, add, y, b);
        }
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
