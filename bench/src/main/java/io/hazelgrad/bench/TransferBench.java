package io.hazelgrad.bench;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.Tensor;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Calls with a float32 tensor of 4 KiB to 256 MiB, and those that return it, too. By shared memory
 * also one way 1 GiB, and small calls while nothing, and while tensors of 256 MiB travel to the
 * same worker.
 */
final class TransferBench {
  private static final int[] SIZES = {4 << 10, 64 << 10, 1 << 20, 16 << 20, 64 << 20, 256 << 20};
  private static final String TRANSPORT = "default";
  private static final Duration TIME = Duration.ofSeconds(2);
  private static final Function<?> TAKE = Function.action(BenchFunctions::take);
  private static final Function<Tensor> ECHO = Function.of(BenchFunctions::echo);

  private final Grid caller;
  private final String callee;
  private final WarmUp warmUp;
  private final Consumer<Figure> figures;

  TransferBench(Grid caller, String callee, Consumer<Figure> figures) {
    this.caller = caller;
    this.callee = callee;
    this.warmUp = new WarmUp(caller, callee);
    this.figures = figures;
  }

  void run() {
    sizes(Map.of("transport", TRANSPORT));
    Tensor largest = Tensor.full(DType.FLOAT32, 1, 1 << 28);
    measure("one_way", 1 << 30, 1 << 30, Map.of("transport", TRANSPORT), () -> take(largest));
    Tensor small = Tensor.full(DType.FLOAT32, 1, 1);
    Runnable call = () -> take(small);
    warmUp.run(call);
    beside(0, Sampling.timeFor(call, 0, TIME));
    int size = 256 << 20;
    Tensor large = Tensor.full(DType.FLOAT32, 1, size / 4);
    try (RepeatedTask transfers = new RepeatedTask(() -> take(large))) {
      beside(size, Sampling.timeFor(call, 0, TIME));
      if (transfers.count() == 0) {
        throw new IllegalStateException("nothing travelled beside the small calls");
      }
    }
    figures.accept(warmUp.figure("transfer"));
  }

  /** Between workers that share no memory. */
  void runBySockets() {
    sizes(Map.of("shared_memory", false, "transport", "tcp"));
    figures.accept(warmUp.figure("sockets"));
  }

  private void sizes(Map<String, Object> params) {
    Tensor small = Tensor.full(DType.FLOAT32, 1, 1);
    warmUp.run( // What all sizes have in common.
        () -> {
          take(small);
          echo(small);
        });
    for (int size : SIZES) {
      Tensor tensor = Tensor.full(DType.FLOAT32, 1, size / 4);
      measure("one_way", size, size, params, () -> take(tensor));
      measure("echo", size, 2L * size, params, () -> echo(tensor));
    }
  }

  private void take(Tensor tensor) {
    caller.rpc().sync(callee, TAKE, tensor);
  }

  private void echo(Tensor tensor) {
    caller.rpc().sync(callee, ECHO, tensor).release();
  }

  /** Small calls, while tensors of so many bytes travel one after another. */
  private void beside(int bytes, long[] nanos) {
    Map<String, Object> params = Map.of("beside_bytes", bytes, "transport", TRANSPORT);
    figures.accept(Figure.latency("small_call_latency", params, nanos));
  }

  private void measure(String kind, int size, long moved, Map<String, Object> how, Runnable call) {
    warmUp.run(call);
    long[] nanos = Sampling.timeFor(call, 0, TIME);
    Map<String, Object> params = new HashMap<>(how);
    params.put("bytes", size);
    Figure latency = Figure.latency("transfer_" + kind + "_latency", params, nanos);
    figures.accept(latency);
    figures.accept(
        Figure.throughput("transfer_" + kind, params, moved, latency.value(), nanos.length));
  }
}
