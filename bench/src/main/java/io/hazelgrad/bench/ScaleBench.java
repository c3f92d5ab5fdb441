package io.hazelgrad.bench;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Measures the cost of a reference while 10^3, 10^4 and more others are live. */
final class ScaleBench extends Bench {
  private static final int FEWEST = 1000;
  private static final int AT_ONCE = 1000;
  private static final int CREATED = 10_000;
  private static final int SAMPLES = 5000;

  private final String owner = others.get(0);
  private final int most;

  ScaleBench(Setting setting) {
    super(setting);
    most = setting.most();
  }

  @Override
  void run() {
    List<RRef<Variable>> live = new ArrayList<>();
    grow(live, FEWEST);
    for (int i = 0; i < 3; i++) { // Warms up the compiler.
      createAndDelete(live.size());
      fetch(live);
    }
    for (int n = FEWEST; n <= most; n *= 10) {
      grow(live, n);
      Map<String, Object> params = Map.of("live", n, "transport", "tcp");
      latency("to_here_among_live", params, fetch(live));
      long nanos = createAndDelete(n);
      report("create_plus_delete_among_live", params, nanos / 1e3 / CREATED, "us", CREATED);
      long start = System.nanoTime();
      RRefs.on(caller).liveCount();
      report("live_count", params, (System.nanoTime() - start) / 1e6, "ms", 1);
    }
    live.forEach(RRef::close);
    awaitObjects(owner, 0);
  }

  private void grow(List<RRef<Variable>> live, int n) {
    while (live.size() < n) {
      live.addAll(create(Math.min(AT_ONCE, n - live.size())));
    }
  }

  private List<RRef<Variable>> create(int n) {
    List<RRef<Variable>> made = new ArrayList<>(n);
    for (int i = 0; i < n; i++) {
      made.add(RRefs.on(caller).remote(owner, add, one, one));
    }
    made.forEach(rref -> rref.creation().join());
    return made;
  }

  private long[] fetch(List<RRef<Variable>> live) {
    int step = Math.max(1, live.size() / SAMPLES);
    int[] next = {0};
    return Sampling.time(() -> live.get(next[0]++ * step % live.size()).toHere(), SAMPLES, SAMPLES);
  }

  private long createAndDelete(int live) {
    long start = System.nanoTime();
    create(CREATED).forEach(RRef::close);
    awaitObjects(owner, live);
    return System.nanoTime() - start;
  }
}
