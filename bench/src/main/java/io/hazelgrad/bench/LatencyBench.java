package io.hazelgrad.bench;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Tensor;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Calls with arguments of one element. */
final class LatencyBench {
  private static final int SAMPLES = 10_000;
  private static final int[] OUTSTANDING = {1, 8, 64, 1024};

  /** From so many outstanding calls on it takes more of them to measure for a second. */
  private static final int MANY = 64;

  private static final int CALLS = 200_000;
  private static final int FEW_CALLS = 30_000;
  private static final int WARM_UP = 10_000;
  private static final String TRANSPORT = "tcp";

  private final Grid caller;
  private final String callee;
  private final WarmUp warmUp;
  private final Consumer<Figure> figures;
  private final Variable a = Variable.of(Tensor.full(DType.FLOAT32, 1, 1));
  private final Variable b = Variable.of(Tensor.full(DType.FLOAT32, 1, 1));

  LatencyBench(Grid caller, String callee, Consumer<Figure> figures) {
    this.caller = caller;
    this.callee = callee;
    this.warmUp = new WarmUp(caller, callee);
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
    figures.accept(warmUp.figure("latency"));
  }

  private void latency(String name, Runnable call) {
    warmUp.run(call);
    long[] nanos = Sampling.time(call, 0, SAMPLES);
    figures.accept(Figure.latency(name, Map.of("transport", TRANSPORT), nanos));
  }

  private void throughput(String kind, Function<Variable> function) {
    for (int outstanding : OUTSTANDING) {
      Supplier<CompletableFuture<Variable>> call = () -> caller.rpc().async(callee, function, a, b);
      warmUp.run(() -> Sampling.inFlight(WARM_UP, outstanding, call));
      int calls = outstanding < MANY ? FEW_CALLS : CALLS;
      long nanos = Sampling.inFlight(calls, outstanding, call);
      figures.accept(
          Figure.rate(
              "rpc_async_throughput",
              Map.of("function", kind, "outstanding", outstanding, "transport", TRANSPORT),
              calls,
              nanos));
    }
  }
}
