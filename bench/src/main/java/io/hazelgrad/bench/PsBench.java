package io.hazelgrad.bench;

import io.hazelgrad.grid.Function;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Measures a parameter server on this worker with 10 MB of parameters. Two other workers push
 * gradients of the same size and receive the parameters.
 */
final class PsBench extends Bench {
  private static final int WARM_UP = 200;
  private static final int STEPS = 200;

  PsBench(Setting setting) {
    super(setting);
  }

  @Override
  void run() {
    for (BenchServer.Mode mode : BenchServer.Mode.values()) {
      RRefs rrefs = RRefs.on(caller);
      try (RRef<BenchServer> shared = rrefs.local(new BenchServer(others.size()))) {
        train(shared, mode, WARM_UP);
        long nanos = train(shared, mode, STEPS);
        shared.sync(Function.action(BenchServer::check), mode.name(), WARM_UP + STEPS);
        report(mode, nanos);
      }
    }
  }

  private long train(RRef<BenchServer> shared, BenchServer.Mode mode, int steps) {
    long start = System.nanoTime();
    others.stream()
        .map(to -> caller.rpc().async(to, BenchServer::train, shared, mode.name(), steps))
        .toList()
        .forEach(CompletableFuture::join);
    return System.nanoTime() - start;
  }

  private void report(BenchServer.Mode mode, long nanos) {
    int updates = others.size() * STEPS;
    int serverSteps = mode == BenchServer.Mode.BATCHED_ASYNC_EXECUTION ? STEPS : updates;
    String name = mode.name().toLowerCase(Locale.ROOT);
    Map<String, Object> params = new HashMap<>(Map.of("mode", name, "trainers", others.size()));
    params.putAll(Map.of("mb", 10, "transport", "default"));
    params.put("server_steps_per_s", serverSteps * 1e9 / nanos);
    // One update is one trainer's gradient pushed and the parameters received.
    rate("ps_updates", params, "updates/s", updates, nanos);
  }
}
