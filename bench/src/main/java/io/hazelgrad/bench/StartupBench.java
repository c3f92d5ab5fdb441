package io.hazelgrad.bench;

import io.hazelgrad.grid.Function;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * Measures the slowest worker's time of joining a cluster, of a first call, and of a shutdown of
 * all together. The JVMs are members of another cluster already, so their classes are loaded.
 */
final class StartupBench extends Bench {
  private static final int[] WORKERS = {2, 4};
  private static final int ROUNDS = 4;
  private static final List<String> NAMES = List.of("init_rpc", "first_call", "shutdown");

  private final List<String> workers =
      Stream.concat(Stream.of(caller.worker().name()), others.stream()).toList();

  StartupBench(Setting setting) {
    super(setting);
  }

  @Override
  void run() {
    for (int count : WORKERS) {
      long[][] slowest = new long[NAMES.size()][ROUNDS];
      for (int round = 0; round < ROUNDS; round++) {
        for (long[] times : start(workers.subList(0, count))) {
          for (int i = 0; i < times.length; i++) {
            slowest[i][round] = Math.max(slowest[i][round], times[i]);
          }
        }
      }
      Map<String, Object> params = Map.of("workers", count, "transport", "tcp");
      for (int i = 0; i < NAMES.size(); i++) {
        latency(NAMES.get(i), params, slowest[i]);
      }
    }
  }

  /** Starts and ends a cluster in these workers' JVMs and returns the times of each. */
  private List<long[]> start(List<String> in) {
    String cluster = "bench-" + UUID.randomUUID();
    List<Integer> ports = in.stream().map(w -> caller.rpc().sync(w, BenchStart::freePort)).toList();
    Function<long[]> start = Function.async(BenchStart::start);
    List<CompletableFuture<long[]>> running = new ArrayList<>();
    for (int i = 0; i < in.size(); i++) {
      running.add(caller.rpc().async(in.get(i), start, cluster, i, ports));
    }
    return running.stream().map(CompletableFuture::join).toList();
  }
}
