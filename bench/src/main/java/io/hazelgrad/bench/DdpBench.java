package io.hazelgrad.bench;

import io.hazelgrad.bench.training.DdpTrainer;
import io.hazelgrad.grid.Rpc;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Measures data parallel training by two workers: all-reduces of 4 KiB to 64 MiB, steps of two
 * networks, and steps of the same networks and of a transformer in one process.
 */
final class DdpBench extends Bench {
  private static final List<Integer> SIZES =
      List.of(4 << 10, 64 << 10, 1 << 20, 16 << 20, 64 << 20);
  static final List<List<Integer>> MODELS =
      List.of(List.of(784, 256, 10), List.of(784, 1024, 1024, 10));

  private final boolean sharedMemory;
  private final List<String> names;

  DdpBench(Setting setting, boolean sharedMemory) {
    super(setting);
    this.sharedMemory = sharedMemory;
    this.names = Stream.concat(Stream.of(caller.worker().name()), others.stream()).toList();
  }

  @Override
  void run() {
    if (sharedMemory) {
      LocalTraining.measure(this);
    }
    for (int bytes : SIZES) {
      allReduce(bytes);
    }
    for (List<Integer> sizes : MODELS) {
      CompletableFuture<Double> other =
          caller.rpc().async(others.get(0), DdpTrainer::together, names, sizes);
      double rate = DdpTrainer.together(caller, names, sizes);
      var unused = Rpc.await(other);
      steps("ddp_steps", parameters("model", label(sizes)), rate);
    }
  }

  private void allReduce(int bytes) {
    CompletableFuture<long[]> other =
        caller.rpc().async(others.get(0), DdpTrainer::allReduce, names, bytes, sharedMemory);
    long[] nanos = DdpTrainer.allReduce(caller, names, bytes, sharedMemory);
    var unused = Rpc.await(other);
    Map<String, Object> parameters = parameters("bytes", bytes);
    double micros = latency("all_reduce_latency", parameters, nanos);
    // The bus bandwidth as nccl-tests count it.
    double moved = 2.0 * (names.size() - 1) / names.size() * bytes;
    report("all_reduce", parameters, moved / micros, "MB/s", nanos.length);
  }

  private Map<String, Object> parameters(String name, Object value) {
    return sharedMemory
        ? Map.of(name, value, "workers", names.size())
        : Map.of(name, value, "workers", names.size(), "shared_memory", false);
  }

  private void steps(String name, Map<String, Object> parameters, double rate) {
    report(name, parameters, rate, "steps/s", DdpTrainer.STEPS);
  }

  static String label(List<Integer> sizes) {
    return sizes.stream().map(String::valueOf).collect(Collectors.joining("-"));
  }
}
