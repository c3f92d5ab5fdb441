package io.hazelgrad.bench;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** References: this worker uses them, the second owns the objects, the third receives forks. */
final class RRefBench {
  private static final int SAMPLES = 5000;
  private static final int LOCAL_SAMPLES = 20_000;
  private static final int FIRST_ROUND = 1000;
  private static final int CREATED = 10_000;
  private static final int ROUNDS = 10;
  private static final int FAN_OUT = 2000;
  private static final String TRANSPORT = "tcp";

  private final Grid user;
  private final RRefs rrefs;
  private final String owner;
  private final String third;
  private final WarmUp warmUp;
  private final Consumer<Figure> figures;
  private final Function<Variable> builtin = Function.operator("add");
  private final Function<Variable> udf = Function.of(BenchFunctions::add);
  private final Variable a = BenchFunctions.small();

  RRefBench(Grid user, String owner, String third, Consumer<Figure> figures) {
    this.user = user;
    this.rrefs = RRefs.on(user);
    this.owner = owner;
    this.third = third;
    this.warmUp = new WarmUp(user, owner, third);
    this.figures = figures;
  }

  void run() {
    latency("remote_plus_to_here_builtin", () -> createAndFetch(builtin));
    latency("remote_plus_to_here_udf", () -> createAndFetch(udf));
    try (RRef<Variable> existing = create()) {
      latency("to_here_existing", existing::toHere);
    }
    long[] local = Sampling.time(() -> rrefs.local(a).close(), LOCAL_SAMPLES, LOCAL_SAMPLES);
    figures.accept(Figure.latency("local_rref_create_drop", transport(), local));
    for (int round = 0; round < ROUNDS; round++) {
      createAndDelete(round == 0 ? FIRST_ROUND : CREATED, round == ROUNDS - 1);
    }
    fanOut("take", third, "third worker", Function.action(BenchFunctions::takeReference), FAN_OUT);
    fanOut("to_here", third, "third worker", Function.of(BenchFunctions::fetch), 8);
    fanOut("take", owner, "owner", Function.action(BenchFunctions::takeReference), FAN_OUT);
    figures.accept(warmUp.figure("rref"));
  }

  private void createAndFetch(Function<Variable> function) {
    try (RRef<Variable> made = rrefs.remote(owner, function, a, a)) {
      made.toHere();
    }
  }

  private RRef<Variable> create() {
    return rrefs.remote(owner, builtin, a, a);
  }

  private void latency(String name, Runnable run) {
    warmUp.run(run);
    figures.accept(Figure.latency(name, transport(), Sampling.time(run, 0, SAMPLES)));
  }

  /** Creates so many at once, waits for all, deletes them at once, waits for that. */
  private void createAndDelete(int n, boolean report) {
    Polling.until("the owner is empty", () -> objects() == 0);
    List<RRef<Variable>> made = new ArrayList<>(n);
    long start = System.nanoTime();
    for (int i = 0; i < n; i++) {
      made.add(create());
    }
    long issued = System.nanoTime();
    CompletableFuture.allOf(made.stream().map(RRef::creation).toArray(CompletableFuture<?>[]::new))
        .join();
    Polling.until("all are created", () -> objects() == n);
    long confirmed = System.nanoTime();
    made.forEach(RRef::close);
    long dropped = System.nanoTime();
    Polling.until("all are deleted", () -> objects() == 0);
    long deleted = System.nanoTime();
    if (report) {
      rate("rref_create_issue_rate", n, issued - start);
      rate("rref_create_confirmed_rate", n, confirmed - start);
      rate("rref_delete_rate", n, deleted - confirmed);
      rate("rref_create_plus_delete_rate", n, deleted - start);
      figures.accept(
          Figure.of("rref_drop_return_time", transport(), (dropped - confirmed) / 1e6, "ms", n));
    }
  }

  private void rate(String name, int n, long nanos) {
    figures.accept(Figure.rate(name, transport(), "rrefs/s", n, nanos));
  }

  private int objects() {
    return user.rpc().sync(owner, BenchFunctions::objects);
  }

  /** Hands one reference to many calls. The first rounds are the warm-up. */
  private void fanOut(
      String does, String to, String callee, Function<?> function, int outstanding) {
    try (RRef<Variable> shared = create()) {
      shared.toHere();
      long answered = 0;
      long acknowledged = 0;
      for (int round = 0; round < ROUNDS; round++) {
        long start = System.nanoTime();
        answered =
            Sampling.inFlight(FAN_OUT, outstanding, () -> user.rpc().async(to, function, shared));
        Polling.until("forks are gone", () -> user.rpc().sync(to, BenchFunctions::forks) == 0);
        acknowledged = System.nanoTime() - start;
      }
      Map<String, Object> params =
          Map.of(
              "callee_does",
              does,
              "outstanding",
              outstanding,
              "callee",
              callee,
              "until_forks_acknowledged_calls_per_s",
              FAN_OUT * 1e9 / acknowledged,
              "transport",
              TRANSPORT);
      figures.accept(Figure.rate("rref_fork_fan_out", params, FAN_OUT, answered));
    }
  }

  private static Map<String, Object> transport() {
    return Map.of("transport", TRANSPORT);
  }
}
