package io.hazelgrad.bench;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.cli.LocalClients;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.HazelgradConfig;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * Measures thin clients: the same calls from a client and from a member, by turns, so that other
 * load affects both; the cost of many clients; and the time until the forks of a killed one are
 * released.
 */
final class ClientBench extends Bench {
  private static final int WARM_UP = 3_000;
  private static final int ROUNDS = 5;
  private static final int SAMPLES = 1_000;
  private static final int CALLS = 4_000;
  private static final int[] OUTSTANDING = {64, 1024};
  private static final int CLIENTS = 50;
  private static final int CALLING_SECONDS = 5;
  private static final int KILLS = 3;
  private static final int FORKS = 100;

  /** The default of workers. */
  private static final Duration GRACE = HazelgradConfig.named("w").build().clientGrace();

  private static final Function<Variable> ADD = Function.of(BenchFunctions::add);

  private final String callee = others.get(0);

  ClientBench(Setting setting) {
    super(setting);
  }

  @Override
  void run() {
    try (GridClient client = GridClient.connect(LocalClients.config(caller))) {
      Map<String, GridAccess> callers = new LinkedHashMap<>();
      callers.put("member", caller);
      callers.put("client", client);
      latency(callers);
      for (int outstanding : OUTSTANDING) {
        throughput(callers, outstanding);
      }
    }
    many();
    killed();
  }

  private void latency(Map<String, GridAccess> callers) {
    Map<String, long[]> nanos = new LinkedHashMap<>();
    callers.values().forEach(each -> Sampling.time(() -> add(each), WARM_UP, 0));
    for (int round = 0; round < ROUNDS; round++) {
      callers.forEach(
          (from, each) ->
              nanos.merge(
                  from,
                  Sampling.time(() -> add(each), 0, SAMPLES),
                  (a, b) -> LongStream.concat(LongStream.of(a), LongStream.of(b)).toArray()));
    }
    nanos.forEach(
        (from, samples) -> latency("client_rpc_sync_udf_add", Map.of("from", from), samples));
  }

  private void add(GridAccess from) {
    var unused = from.rpc().sync(callee, ADD, one, one);
  }

  private void throughput(Map<String, GridAccess> callers, int outstanding) {
    Map<String, Long> nanos = new LinkedHashMap<>();
    for (int round = 0; round <= ROUNDS; round++) {
      boolean counts = round > 0; // The first round is the warm-up.
      callers.forEach(
          (from, each) -> {
            long took =
                Sampling.inFlight(
                    CALLS, outstanding, () -> each.rpc().async(callee, ADD, one, one));
            if (counts) {
              nanos.merge(from, took, Long::sum);
            }
          });
    }
    nanos.forEach(
        (from, sum) -> {
          Map<String, Object> params = Map.of("from", from, "outstanding", outstanding);
          rate("client_rpc_async_throughput", params, "calls/s", ROUNDS * CALLS, sum);
        });
  }

  /** Measures memory per client, without the first one, which loads classes. */
  private void many() {
    try (ClientProcess process = ClientProcess.start(caller)) {
      long first = process.connect(1);
      process.call(callee, 1);
      long before = usedByCallee();
      long all = process.connect(CLIENTS - 1);
      long[] called = process.call(callee, CALLING_SECONDS);
      Map<String, Object> params = Map.of("clients", CLIENTS, "worker", callee);
      int more = CLIENTS - 1;
      int calls = Math.toIntExact(called[0]);
      double here = (usedByCallee() - before) / 1e3;
      report("client_memory_each", params, (all - first) / 1e3 / more, "kB", more);
      report("member_memory_each_client", params, here / more, "kB", more);
      rate("many_clients_calls", params, "calls/s", calls, CALLING_SECONDS * 1_000_000_000L);
      report("many_clients_errors", params, (double) called[1], "calls", calls);
    }
  }

  private long usedByCallee() {
    return caller.rpc().sync(callee, MemoryUsage::used);
  }

  private void killed() {
    until(
        "the clients before are gone",
        () -> caller.hazelcast().getMap("hazelgrad.clients").isEmpty());
    long[] nanos = new long[KILLS];
    for (int round = 0; round < KILLS; round++) {
      try (ClientProcess process = ClientProcess.start(caller)) {
        process.connect(1);
        process.hold(callee, FORKS);
        awaitObjects(callee, FORKS);
        long start = System.nanoTime();
        process.kill();
        awaitObjects(callee, 0);
        nanos[round] = System.nanoTime() - start;
      }
    }
    Map<String, Object> params = Map.of("forks", FORKS, "client_grace_s", GRACE.toSeconds());
    double millis = Sampling.median(nanos) / 1e6;
    report("client_death_to_last_fork_reclaimed", params, millis, "ms", KILLS);
  }
}
