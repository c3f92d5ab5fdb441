package io.hazelgrad.tests.chaos;

import io.hazelgrad.tests.JvmCluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Makes trouble at random for the workers of a cluster, one or two at a time, and mends it again.
 * A majority of the workers is always there and connected.
 */
final class Troubles {
  /** What can happen; each is mended after a while. */
  enum Kind {
    KILL,
    DRAIN,
    JOIN,
    FREEZE,
    CUT,
    CUT_ONE_WAY,
    SPLIT
  }

  /** Something that happened and is to be mended. */
  private record Trouble(Kind kind, String worker, Runnable mend) {}

  private final JvmCluster cluster;
  private final List<String> workers;
  private final Random random;
  private final List<Kind> kinds;
  private final Map<String, Long> counts = new TreeMap<>();
  private final List<String> story = new ArrayList<>();
  private final long start = System.nanoTime();

  Troubles(JvmCluster cluster, List<String> workers, List<Kind> kinds, Random random) {
    this.cluster = cluster;
    this.workers = workers;
    this.kinds = kinds;
    this.random = random;
  }

  /** Makes one trouble, waits up to some seconds, and mends it. */
  void once() {
    Kind kind = kinds.get(random.nextInt(kinds.size()));
    String worker = workers.get(random.nextInt(workers.size()));
    counts.merge(kind.name(), 1L, Long::sum);
    Trouble trouble = make(kind, worker);
    pause(random.nextInt(kind == Kind.KILL ? 3000 : 9000));
    trouble.mend().run();
    story.add(seconds() + " " + trouble.kind() + " " + trouble.worker() + " mended");
  }

  private Trouble make(Kind kind, String worker) {
    story.add(seconds() + " " + kind + " " + worker);
    switch (kind) {
      case KILL -> cluster.kill(worker);
      case DRAIN -> cluster.stop(worker);
      case JOIN -> cluster.start("E");
      case FREEZE -> cluster.freeze(worker);
      case CUT -> cluster.cut(worker, another(worker));
      case CUT_ONE_WAY -> cluster.cutOneWay(worker, another(worker));
      case SPLIT -> cluster.split(List.of(worker), others(worker));
    }
    return new Trouble(
        kind,
        worker,
        switch (kind) {
          case KILL, DRAIN -> () -> cluster.start(worker);
          case JOIN -> () -> cluster.stop("E");
          case FREEZE -> () -> cluster.thaw(worker);
          case CUT, CUT_ONE_WAY, SPLIT -> cluster::heal;
        });
  }

  private String another(String worker) {
    List<String> others = others(worker);
    return others.get(random.nextInt(others.size()));
  }

  private List<String> others(String worker) {
    List<String> others = new ArrayList<>(workers);
    others.add(JvmCluster.DRIVER);
    others.remove(worker);
    return others;
  }

  private String seconds() {
    return (System.nanoTime() - start) / 1_000_000 + " ms";
  }

  /** Trouble takes its time; nothing is waited for here. */
  static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException("nobody interrupts a test", e);
    }
  }

  Map<String, Long> counts() {
    return counts;
  }

  List<String> story() {
    return story;
  }
}
