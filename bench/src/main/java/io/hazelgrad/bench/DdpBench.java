package io.hazelgrad.bench;

import io.hazelgrad.bench.training.DdpTrainer;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.Rpc;
import java.util.HashMap;
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
      trainLocally(this);
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

  /**
   * Measures the training of the models in this process, once the compilers are idle. The parameter
   * {@code threads} is there if {@code OMP_NUM_THREADS} is not 1.
   */
  static void trainLocally(Bench bench) {
    for (List<Integer> sizes : MODELS) {
      Runnable step = DdpTrainer.step(sizes, DdpTrainer.BATCH, Device.CPU);
      Map<String, Object> model = Map.of("model", label(sizes));
      measure(bench, "ddp_local_steps", model, step, DdpTrainer.STEPS);
    }
    Runnable step = DdpTrainer.step(DdpTrainer.SMALL_SHAPE, Device.CPU);
    measure(bench, "gpt_local_steps", Map.of(), step, DdpTrainer.TRANSFORMER_STEPS);
  }

  private static void measure(
      Bench bench, String name, Map<String, Object> parameters, Runnable step, int steps) {
    bench.warmUp.run(step);
    long start = System.nanoTime();
    for (int i = 0; i < steps; i++) {
      step.run();
    }
    double rate = steps * 1e9 / (System.nanoTime() - start);
    Map<String, Object> all = new HashMap<>(parameters);
    String threads = System.getenv("OMP_NUM_THREADS");
    if (threads != null && threads.matches("[2-9]|\\d{2,3}")) {
      all.put("threads", Integer.valueOf(threads));
    }
    bench.report(name, all, rate, "steps/s", steps);
  }

  static String label(List<Integer> sizes) {
    return sizes.stream().map(String::valueOf).collect(Collectors.joining("-"));
  }
}
