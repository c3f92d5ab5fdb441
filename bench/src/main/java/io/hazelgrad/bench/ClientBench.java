package io.hazelgrad.bench;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.cli.LocalClients;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Tensor;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Measures thin clients: the same calls from a client and from a member, by turns, so that other
 * load affects both; the cost of many clients; and the time until the forks of a killed one are
 * released.
 */
final class ClientBench {
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

  private final Variable x = Variable.of(Tensor.full(DType.FLOAT32, 1, 1));
  private final Grid member;
  private final String callee;
  private final Consumer<Figure> figures;

  ClientBench(Grid member, String callee, Consumer<Figure> figures) {
    this.member = member;
    this.callee = callee;
    this.figures = figures;
  }

  void run() {
    try (GridClient client = GridClient.connect(LocalClients.config(member))) {
      Map<String, GridAccess> callers = new LinkedHashMap<>();
      callers.put("member", member);
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
    callers.values().forEach(caller -> Sampling.time(() -> add(caller), WARM_UP, 0));
    for (int round = 0; round < ROUNDS; round++) {
      callers.forEach(
          (from, caller) ->
              nanos.merge(from, Sampling.time(() -> add(caller), 0, SAMPLES), ClientBench::joined));
    }
    nanos.forEach(
        (from, samples) ->
            figures.accept(
                Figure.latency("client_rpc_sync_udf_add", Map.of("from", from), samples)));
  }

  private void add(GridAccess caller) {
    var unused = caller.rpc().sync(callee, ADD, x, x);
  }

  private static long[] joined(long[] a, long[] b) {
    long[] both = Arrays.copyOf(a, a.length + b.length);
    System.arraycopy(b, 0, both, a.length, b.length);
    return both;
  }

  private void throughput(Map<String, GridAccess> callers, int outstanding) {
    Map<String, Long> nanos = new LinkedHashMap<>();
    for (int round = 0; round <= ROUNDS; round++) {
      boolean counts = round > 0; // The first round is the warm-up.
      callers.forEach(
          (from, caller) -> {
            long took =
                Sampling.inFlight(CALLS, outstanding, () -> caller.rpc().async(callee, ADD, x, x));
            if (counts) {
              nanos.merge(from, took, Long::sum);
            }
          });
    }
    nanos.forEach(
        (from, sum) ->
            figures.accept(
                Figure.rate(
                    "client_rpc_async_throughput",
                    Map.of("from", from, "outstanding", outstanding),
                    ROUNDS * CALLS,
                    sum)));
  }

  /** Measures memory per client, without the first one, which loads classes. */
  private void many() {
    try (ClientProcess process = ClientProcess.start(member)) {
      long first = process.connect(1);
      process.call(callee, 1);
      long before = usedByCallee();
      long all = process.connect(CLIENTS - 1);
      long[] called = process.call(callee, CALLING_SECONDS);
      Map<String, Object> params = Map.of("clients", CLIENTS, "worker", callee);
      int more = CLIENTS - 1;
      figures.accept(
          Figure.of("client_memory_each", params, (double) (all - first) / 1e3 / more, "kB", more));
      figures.accept(
          Figure.of(
              "member_memory_each_client",
              params,
              (double) (usedByCallee() - before) / 1e3 / more,
              "kB",
              more));
      figures.accept(
          Figure.rate(
              "many_clients_calls",
              params,
              Math.toIntExact(called[0]),
              CALLING_SECONDS * 1_000_000_000L));
      figures.accept(
          Figure.of(
              "many_clients_errors",
              params,
              (double) called[1],
              "calls",
              Math.toIntExact(called[0])));
    }
  }

  private long usedByCallee() {
    return member.rpc().sync(callee, BenchFunctions::usedBytes);
  }

  private void killed() {
    Polling.until("the clients before are gone", () -> clients() == 0);
    long[] nanos = new long[KILLS];
    for (int round = 0; round < KILLS; round++) {
      try (ClientProcess process = ClientProcess.start(member)) {
        process.connect(1);
        process.hold(callee, FORKS);
        Polling.until("all forks are known", () -> objects() == FORKS);
        long start = System.nanoTime();
        process.kill();
        Polling.until("all forks are gone", () -> objects() == 0);
        nanos[round] = System.nanoTime() - start;
      }
    }
    Arrays.sort(nanos);
    Map<String, Object> params = Map.of("forks", FORKS, "client_grace_s", GRACE.toSeconds());
    figures.accept(
        Figure.of(
            "client_death_to_last_fork_reclaimed", params, nanos[KILLS / 2] / 1e6, "ms", KILLS));
  }

  private int clients() {
    return member.hazelcast().getMap("hazelgrad.clients").size();
  }

  private int objects() {
    return member.rpc().sync(callee, BenchFunctions::objects);
  }
}
