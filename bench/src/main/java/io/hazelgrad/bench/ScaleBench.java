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

/** Measures the cost of a reference while 10^3, 10^4 and more others are live. */
final class ScaleBench {
  private static final int FEWEST = 1000;
  private static final int AT_ONCE = 1000;
  private static final int CREATED = 10_000;
  private static final int SAMPLES = 5000;
  private static final String TRANSPORT = "tcp";

  private final Grid user;
  private final String owner;
  private final int most;
  private final Consumer<Figure> figures;
  private final Function<Variable> add = Function.operator("add");
  private final Variable a = BenchFunctions.small();

  ScaleBench(Grid user, String owner, int most, Consumer<Figure> figures) {
    this.user = user;
    this.owner = owner;
    this.most = most;
    this.figures = figures;
  }

  void run() {
    List<RRef<Variable>> live = new ArrayList<>();
    grow(live, FEWEST);
    for (int i = 0; i < 3; i++) { // Warms up the compiler.
      createAndDelete(live.size());
      fetch(live);
    }
    for (int n = FEWEST; n <= most; n *= 10) {
      grow(live, n);
      Map<String, Object> params = Map.of("live", n, "transport", TRANSPORT);
      figures.accept(Figure.latency("to_here_among_live", params, fetch(live)));
      long nanos = createAndDelete(n);
      figures.accept(
          Figure.of("create_plus_delete_among_live", params, nanos / 1e3 / CREATED, "us", CREATED));
      long start = System.nanoTime();
      RRefs.on(user).liveCount();
      figures.accept(Figure.of("live_count", params, (System.nanoTime() - start) / 1e6, "ms", 1));
    }
    live.forEach(RRef::close);
    awaitObjects(0);
  }

  private void grow(List<RRef<Variable>> live, int n) {
    while (live.size() < n) {
      live.addAll(create(Math.min(AT_ONCE, n - live.size())));
    }
  }

  private List<RRef<Variable>> create(int n) {
    List<RRef<Variable>> made = new ArrayList<>(n);
    for (int i = 0; i < n; i++) {
      made.add(RRefs.on(user).remote(owner, add, a, a));
    }
    CompletableFuture.allOf(made.stream().map(RRef::creation).toArray(CompletableFuture<?>[]::new))
        .join();
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
    awaitObjects(live);
    return System.nanoTime() - start;
  }

  private void awaitObjects(int n) {
    Polling.until(
        n + " objects are left", () -> user.rpc().sync(owner, BenchFunctions::objects) == n);
  }
}
