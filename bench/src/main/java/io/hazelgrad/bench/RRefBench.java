package io.hazelgrad.bench;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Function;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Measures references: this worker uses them, one owns the objects, a third receives forks. */
final class RRefBench extends Bench {
  private static final int SAMPLES = 5000;
  private static final int LOCAL_SAMPLES = 20_000;
  private static final int FIRST_ROUND = 1000;
  private static final int CREATED = 10_000;
  private static final int ROUNDS = 10;
  private static final int FAN_OUT = 2000;

  private final RRefs rrefs = RRefs.on(caller);
  private final String owner = others.get(0);
  private final String third = others.get(1);
  private final Function<Variable> udf = Function.of(BenchFunctions::add);

  RRefBench(Setting setting) {
    super(setting);
  }

  @Override
  void run() {
    latency("remote_plus_to_here_builtin", SAMPLES, () -> createAndFetch(add));
    latency("remote_plus_to_here_udf", SAMPLES, () -> createAndFetch(udf));
    try (RRef<Variable> existing = create()) {
      latency("to_here_existing", SAMPLES, existing::toHere);
    }
    long[] local = Sampling.time(() -> rrefs.local(one).close(), LOCAL_SAMPLES, LOCAL_SAMPLES);
    latency("local_rref_create_drop", TCP, local);
    for (int round = 0; round < ROUNDS; round++) {
      createAndDelete(round == 0 ? FIRST_ROUND : CREATED, round == ROUNDS - 1);
    }
    fanOut("take", third, "third worker", Function.action(BenchFunctions::takeReference), FAN_OUT);
    fanOut("to_here", third, "third worker", Function.of(BenchFunctions::fetch), 8);
    fanOut("take", owner, "owner", Function.action(BenchFunctions::takeReference), FAN_OUT);
  }

  private void createAndFetch(Function<Variable> function) {
    try (RRef<Variable> made = rrefs.remote(owner, function, one, one)) {
      made.toHere();
    }
  }

  private RRef<Variable> create() {
    return rrefs.remote(owner, add, one, one);
  }

  /** Creates {@code n} references, waits for all, closes them, and waits for their deletion. */
  private void createAndDelete(int n, boolean report) {
    awaitObjects(owner, 0);
    List<RRef<Variable>> made = new ArrayList<>(n);
    long start = System.nanoTime();
    for (int i = 0; i < n; i++) {
      made.add(create());
    }
    long issued = System.nanoTime();
    made.forEach(rref -> rref.creation().join());
    awaitObjects(owner, n);
    long confirmed = System.nanoTime();
    made.forEach(RRef::close);
    long dropped = System.nanoTime();
    awaitObjects(owner, 0);
    long deleted = System.nanoTime();
    if (report) {
      rate("rref_create_issue_rate", n, issued - start);
      rate("rref_create_confirmed_rate", n, confirmed - start);
      rate("rref_delete_rate", n, deleted - confirmed);
      rate("rref_create_plus_delete_rate", n, deleted - start);
      report("rref_drop_return_time", TCP, (dropped - confirmed) / 1e6, "ms", n);
    }
  }

  private void rate(String name, int n, long nanos) {
    rate(name, TCP, "rrefs/s", n, nanos);
  }

  /** Passes one reference to many calls. The first rounds are the warm-up. */
  private void fanOut(
      String does, String to, String callee, Function<?> function, int outstanding) {
    try (RRef<Variable> shared = create()) {
      shared.toHere();
      long answered = 0;
      long acknowledged = 0;
      for (int round = 0; round < ROUNDS; round++) {
        long start = System.nanoTime();
        answered =
            Sampling.inFlight(FAN_OUT, outstanding, () -> caller.rpc().async(to, function, shared));
        until("forks are gone", () -> caller.rpc().sync(to, BenchFunctions::forks) == 0);
        acknowledged = System.nanoTime() - start;
      }
      Map<String, Object> params = new HashMap<>(TCP);
      params.putAll(Map.of("callee_does", does, "callee", callee, "outstanding", outstanding));
      params.put("until_forks_acknowledged_calls_per_s", FAN_OUT * 1e9 / acknowledged);
      rate("rref_fork_fan_out", params, "calls/s", FAN_OUT, answered);
    }
  }
}
