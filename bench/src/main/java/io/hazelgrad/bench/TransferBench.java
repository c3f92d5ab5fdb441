package io.hazelgrad.bench;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Tensor;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;

/** Calls with a float32 tensor of 4 KiB to 256 MiB, and those that return it, too. */
final class TransferBench {
  private static final int[] SIZES = {4 << 10, 64 << 10, 1 << 20, 16 << 20, 64 << 20, 256 << 20};
  private static final String TRANSPORT = "default";
  private static final int FIRST_WARM_UP = 3000;
  private static final int WARM_UP = 20;
  private static final Duration TIME = Duration.ofSeconds(2);

  private final Grid caller;
  private final String callee;
  private final Consumer<Figure> figures;

  TransferBench(Grid caller, String callee, Consumer<Figure> figures) {
    this.caller = caller;
    this.callee = callee;
    this.figures = figures;
  }

  void run() {
    Rpc rpc = caller.rpc();
    Function<?> take = Function.action(BenchFunctions::take);
    Function<Tensor> echo = Function.of(BenchFunctions::echo);
    Tensor small = Tensor.full(DType.FLOAT32, 1, 1);
    for (int i = 0; i < FIRST_WARM_UP; i++) { // The compiler's, of calls.
      rpc.sync(callee, take, small);
      rpc.sync(callee, echo, small);
    }
    for (int size : SIZES) {
      Tensor tensor = Tensor.full(DType.FLOAT32, 1, size / 4);
      measure("one_way", size, size, () -> rpc.sync(callee, take, tensor));
      measure("echo", size, 2L * size, () -> rpc.sync(callee, echo, tensor).release());
    }
  }

  private void measure(String kind, int size, long moved, Runnable call) {
    long[] nanos = Sampling.timeFor(call, WARM_UP, TIME);
    Map<String, Object> params = Map.of("bytes", size, "transport", TRANSPORT);
    Figure latency = Figure.latency("transfer_" + kind + "_latency", params, nanos);
    figures.accept(latency);
    figures.accept(
        Figure.throughput("transfer_" + kind, params, moved, latency.value(), nanos.length));
  }
}
