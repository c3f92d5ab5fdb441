package io.hazelgrad.bench;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Tensor;
import java.util.Map;
import java.util.function.Consumer;

/** Calls with arguments of one element. */
final class LatencyBench {
  private static final int WARM_UP = 10_000;
  private static final int SAMPLES = 10_000;
  private static final int[] OUTSTANDING = {1, 8, 64, 1024};
  private static final int CALLS = 20_000;
  private static final int WARM_UP_ROUNDS = 6;
  private static final int ROUNDS = 3;
  private static final String TRANSPORT = "tcp";

  private final Grid caller;
  private final String callee;
  private final Consumer<Figure> figures;
  private final Variable a = Variable.of(Tensor.full(DType.FLOAT32, 1, 1));
  private final Variable b = Variable.of(Tensor.full(DType.FLOAT32, 1, 1));

  LatencyBench(Grid caller, String callee, Consumer<Figure> figures) {
    this.caller = caller;
    this.callee = callee;
    this.figures = figures;
  }

  void run() {
    Rpc rpc = caller.rpc();
    String self = caller.worker().name();
    Function<Variable> builtin = Function.operator("add");
    Function<Variable> udf = Function.of(BenchFunctions::add);
    Function<?> noop = Function.action(BenchFunctions::noop);
    latency("rpc_sync_builtin_add", () -> rpc.sync(callee, builtin, a, b));
    latency("rpc_sync_udf_add", () -> rpc.sync(callee, udf, a, b));
    latency("rpc_sync_udf_noop", () -> rpc.sync(callee, noop));
    latency("rpc_sync_to_self_builtin_add", () -> rpc.sync(self, builtin, a, b));
    throughput("builtin", builtin);
    throughput("udf", udf);
  }

  private void latency(String name, Runnable call) {
    long[] nanos = Sampling.time(call, WARM_UP, SAMPLES);
    figures.accept(Figure.latency(name, Map.of("transport", TRANSPORT), nanos));
  }

  private void throughput(String kind, Function<Variable> function) {
    for (int outstanding : OUTSTANDING) {
      int calls = outstanding > 1 ? CALLS : CALLS / 2;
      long nanos = 0;
      for (int round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
        long took =
            Sampling.inFlight(calls, outstanding, () -> caller.rpc().async(callee, function, a, b));
        nanos += round < 0 ? 0 : took;
      }
      figures.accept(
          Figure.rate(
              "rpc_async_throughput",
              Map.of("function", kind, "outstanding", outstanding, "transport", TRANSPORT),
              calls * ROUNDS,
              nanos));
    }
  }
}
