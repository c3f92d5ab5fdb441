package io.hazelgrad.bench;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Tensor;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Measures calls with a float32 tensor of 4 KiB to 256 MiB, one way and with the tensor as result.
 * With shared memory it also measures 1 GiB one way, and small calls, alone and while tensors of
 * 256 MiB travel to the same worker.
 */
final class TransferBench extends Bench {
  private static final int[] SIZES = {4 << 10, 64 << 10, 1 << 20, 16 << 20, 64 << 20, 256 << 20};
  private static final Map<String, Object> DEFAULT = Map.of("transport", "default");
  private static final Duration TIME = Duration.ofSeconds(2);
  private static final Function<?> TAKE = Function.action(BenchFunctions::take);
  private static final Function<Tensor> ECHO = Function.of(BenchFunctions::echo);

  private final String callee = others.get(0);
  private final boolean sharedMemory;
  private final Tensor small = Tensor.full(DType.FLOAT32, 1, 1);

  TransferBench(Setting setting, boolean sharedMemory) {
    super(setting);
    this.sharedMemory = sharedMemory;
  }

  @Override
  void run() {
    if (!sharedMemory) {
      sizes(Map.of("shared_memory", false, "transport", "tcp"));
      return;
    }
    sizes(DEFAULT);
    Tensor largest = Tensor.full(DType.FLOAT32, 1, 1 << 28);
    measure("one_way", 1 << 30, 1 << 30, DEFAULT, () -> take(largest));
    Runnable call = () -> take(small);
    warmUp.run(call);
    beside(0, Sampling.timeFor(call, TIME));
    int size = 256 << 20;
    Tensor large = Tensor.full(DType.FLOAT32, 1, size / 4);
    AtomicInteger travelled = new AtomicInteger();
    AtomicBoolean over = new AtomicBoolean();
    CompletableFuture<Void> transfers =
        CompletableFuture.runAsync(
            () -> {
              while (!over.get()) {
                take(large);
                travelled.incrementAndGet();
              }
            },
            transfer -> new Thread(transfer, "bench-beside").start());
    try {
      beside(size, Sampling.timeFor(call, TIME));
      if (travelled.get() == 0) {
        throw new IllegalStateException("no large tensor travelled during the small calls");
      }
    } finally {
      over.set(true);
      transfers.join();
    }
  }

  private void sizes(Map<String, Object> params) {
    warmUp.run( // Warms up the path that all sizes share.
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

  /** Reports small calls while tensors of {@code bytes} travel one after another. */
  private void beside(int bytes, long[] nanos) {
    latency("small_call_latency", Map.of("beside_bytes", bytes, "transport", "default"), nanos);
  }

  private void measure(String kind, int size, long moved, Map<String, Object> how, Runnable call) {
    warmUp.run(call);
    long[] nanos = Sampling.timeFor(call, TIME);
    Map<String, Object> params = new HashMap<>(how);
    params.put("bytes", size);
    double micros = latency("transfer_" + kind + "_latency", params, nanos);
    report("transfer_" + kind, params, moved / micros, "MB/s", nanos.length); // 10^6 bytes.
  }
}
