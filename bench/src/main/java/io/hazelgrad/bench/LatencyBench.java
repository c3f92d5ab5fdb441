package io.hazelgrad.bench;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Rpc;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Measures latency and throughput of calls with arguments of one element, and of 64 bytes. */
final class LatencyBench extends Bench {
  private static final int SAMPLES = 10_000;
  private static final int[] OUTSTANDING = {1, 8, 64, 1024};

  /** From this number of outstanding calls on, {@link #CALLS} are needed for a second. */
  private static final int MANY = 64;

  private static final int CALLS = 200_000;
  private static final int FEW_CALLS = 30_000;
  private static final int WARM_UP = 10_000;

  /** The bytes that an echo carries both ways. */
  private static final int ECHOED = 64;

  private final Rpc rpc = caller.rpc();
  private final String callee = others.get(0);

  LatencyBench(Setting setting) {
    super(setting);
  }

  @Override
  void run() {
    String self = caller.worker().name();
    Function<Variable> udf = Function.of(BenchFunctions::add);
    Function<?> noop = Function.action(BenchFunctions::noop);
    latency("rpc_sync_builtin_add", SAMPLES, () -> rpc.sync(callee, add, one, one));
    latency("rpc_sync_udf_add", SAMPLES, () -> rpc.sync(callee, udf, one, one));
    latency("rpc_sync_udf_noop", SAMPLES, () -> rpc.sync(callee, noop));
    latency("rpc_sync_to_self_builtin_add", SAMPLES, () -> rpc.sync(self, add, one, one));
    throughput("builtin", () -> rpc.async(callee, add, one, one));
    throughput("udf", () -> rpc.async(callee, udf, one, one));
    Function<byte[]> echo = Function.of(BenchFunctions::echoBytes);
    byte[] bytes = new byte[ECHOED];
    latency("rpc_sync_echo", SAMPLES, () -> rpc.sync(callee, echo, bytes));
    throughput("echo", () -> rpc.async(callee, echo, bytes));
  }

  private <T> void throughput(String kind, Supplier<CompletableFuture<T>> call) {
    for (int outstanding : OUTSTANDING) {
      warmUp.run(() -> Sampling.inFlight(WARM_UP, outstanding, call));
      int calls = outstanding < MANY ? FEW_CALLS : CALLS;
      long nanos = Sampling.inFlight(calls, outstanding, call);
      Map<String, Object> params =
          Map.of("function", kind, "outstanding", outstanding, "transport", "tcp");
      rate("rpc_async_throughput", params, "calls/s", calls, nanos);
    }
  }
}
