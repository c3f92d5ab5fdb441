package io.hazelgrad.tests.chaos;

import io.hazelgrad.grid.metrics.Metrics;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.LinkQuality;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Executor of a {@link TroublePlan}: causes each trouble and repairs it. The plan's time does not
 * wait. A trouble is delayed while its victims still recover from an earlier one, and while too few
 * others are left.
 */
final class TroubleExecutor implements AutoCloseable {
  /** Action that repairs a trouble, and its time. */
  private record Mending(long at, TroublePlan.Trouble trouble, long since, Runnable work) {}

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final Duration DELAY = Duration.ofMillis(50);
  private static final Duration JITTER = Duration.ofMillis(5);
  private static final long BEFORE_SILENCE = 1 << 20;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(180);

  private final ChaosCluster chaosCluster;
  private final JvmCluster cluster;
  private final TroublePlan plan;
  private final List<Episode> episodes = new CopyOnWriteArrayList<>();
  private final Map<String, Long> counts = new TreeMap<>();
  private final List<String> story = new CopyOnWriteArrayList<>();
  private final PriorityQueue<Mending> mendings =
      new PriorityQueue<>(Comparator.comparingLong(Mending::at));

  /** Workers and clients that still recover from a trouble. */
  private final Set<String> inTrouble = ConcurrentHashMap.newKeySet();

  private final List<Throwable> failures = new CopyOnWriteArrayList<>();
  private final ExecutorService helpers =
      Executors.newCachedThreadPool(
          work -> {
            Thread thread = new Thread(work, "chaos-helper");
            thread.setDaemon(true);
            return thread;
          });
  private final long start = System.nanoTime();

  TroubleExecutor(ChaosCluster chaosCluster, TroublePlan plan) {
    this.chaosCluster = chaosCluster;
    this.cluster = chaosCluster.cluster();
    this.plan = plan;
    story.add("0 ms: the clock of the history is " + start);
  }

  /** Causes troubles for a duration. */
  void run(Duration length) {
    TroublePlan.Trouble next = plan.next();
    while (millis() < length.toMillis() && failures.isEmpty()) {
      mendWhatIsDue(millis());
      if (next.at() <= millis() && mayBegin(next)) {
        begin(next);
        next = plan.next();
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  /** Repairs everything, and waits until all processes have recovered. */
  void end() {
    mendWhatIsDue(Long.MAX_VALUE);
    long since = System.nanoTime();
    while (!inTrouble.isEmpty() && failures.isEmpty()) {
      if (System.nanoTime() - since > PATIENCE_NANOS) {
        throw new AssertionError(inTrouble + " have not come back; the story: " + story());
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
    if (!failures.isEmpty()) {
      throw new AssertionError("trouble was not over; the story: " + story(), failures.get(0));
    }
    note("peace");
  }

  private void mendWhatIsDue(long now) {
    while (!mendings.isEmpty() && mendings.peek().at() <= now) {
      Mending due = mendings.remove();
      inBackground(
          () -> {
            due.work().run();
            if (!due.trouble().kind().isOfClients() && due.trouble().kind() != TroubleKind.JOIN) {
              due.trouble().who().forEach(chaosCluster::awaitBack);
            }
            due.trouble().who().forEach(inTrouble::remove);
            episodes.add(episode(due.trouble(), due.since(), System.nanoTime()));
            note("over: " + due.trouble());
          });
    }
  }

  /**
   * Returns whether the remaining workers keep the quorum. A process that is started again does not
   * remember the membership, so it does not count.
   */
  private boolean mayBegin(TroublePlan.Trouble trouble) {
    Set<String> concerned = new HashSet<>(inTrouble);
    if (concerned.removeAll(trouble.who())) {
      return false;
    }
    if (trouble.kind().isOfClients() || trouble.kind() == TroubleKind.JOIN) {
      return true;
    }
    if (trouble.kind().isOfNetwork()
        && !mendings.stream().noneMatch(m -> m.trouble().kind().isOfNetwork())) {
      return false;
    }
    concerned.removeAll(ChaosCluster.CLIENTS);
    int affected = concerned.size() + trouble.who().size();
    if (!trouble.kind().isFinal()) {
      return affected <= 2;
    }
    long voters = figure("quorum.voters");
    long left = voters - figure("quorum.missing") - affected;
    return 2 * left > voters;
  }

  private long figure(String name) {
    return Metrics.of(cluster.grid()).figures().getOrDefault(name, 0L);
  }

  private void begin(TroublePlan.Trouble trouble) {
    counts.merge(trouble.kind().name(), 1L, Long::sum);
    inTrouble.addAll(trouble.who());
    note(trouble.toString());
    long since = System.nanoTime();
    Runnable mending = make(trouble.kind(), trouble.who());
    mendings.add(new Mending(millis() + trouble.lasts(), trouble, since, mending));
  }

  private static Episode episode(TroublePlan.Trouble trouble, long from, long to) {
    return new Episode(trouble.kind(), Set.copyOf(trouble.who()), from, to);
  }

  /** Causes a trouble; returns the action that repairs it. */
  private Runnable make(TroubleKind kind, List<String> who) {
    String one = who.isEmpty() ? "" : who.get(0);
    switch (kind) {
      case KILL, KILL_TWO -> {
        who.forEach(worker -> inBackground(() -> cluster.kill(worker)));
        return () -> who.forEach(this::restart);
      }
      case DRAIN -> {
        inBackground(() -> cluster.stop(one));
        return () -> restart(one);
      }
      case JOIN -> {
        CompletableFuture<?> joined =
            CompletableFuture.runAsync(() -> chaosCluster.startWorker(one, this::note), helpers);
        return () -> {
          joined.join();
          cluster.stop(one);
        };
      }
      case NAP, FREEZE -> {
        cluster.freeze(one);
        return () -> cluster.thaw(one);
      }
      case CUT -> cluster.cut(one, who.get(1));
      case CUT_ONE_WAY -> cluster.cutOneWay(one, who.get(1));
      case SPLIT -> cluster.split(who, others(one));
      case MUTE -> others(one).forEach(other -> cluster.cutOneWay(one, other));
      case LOSS -> link(one, LinkQuality.PERFECT.withLoss(0.01));
      case DELAY -> link(one, LinkQuality.PERFECT.withDelay(DELAY, JITTER));
      case SILENT_STREAMS -> cluster.silence(ChaosCluster.STREAM_PORT, BEFORE_SILENCE);
      case RESET_STREAMS -> cluster.resetConnections(ChaosCluster.STREAM_PORT);
      case HALF_OPEN -> {
        cluster.split(who, others(one));
        inBackground(
            () -> {
              cluster.kill(one);
              cluster.heal();
            });
        return () -> restart(one);
      }
      case CLIENT_KILL -> {
        chaosCluster.client(one).kill();
        return () -> chaosCluster.startClient(one);
      }
      case CLIENT_FREEZE -> {
        chaosCluster.client(one).freeze();
        return () -> chaosCluster.client(one).thaw();
      }
      case CLIENT_CUT -> {
        chaosCluster.cutClient();
        return chaosCluster::healClient;
      }
    }
    return cluster::heal;
  }

  private void link(String worker, LinkQuality quality) {
    others(worker).forEach(other -> cluster.link(worker, other, quality));
  }

  private void restart(String worker) {
    long since = System.nanoTime();
    while (cluster.processes().worker(worker).isAlive()) { // Leaving may take a while.
      if (System.nanoTime() - since > PATIENCE_NANOS) {
        throw new AssertionError(worker + " does not end");
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
    chaosCluster.startWorker(worker, this::note);
    note(worker + " was started");
  }

  private List<String> others(String worker) {
    List<String> others = new ArrayList<>(ChaosCluster.WORKERS);
    if (cluster.processes().workers().contains("E")) {
      others.add("E");
    }
    others.add(JvmCluster.DRIVER);
    others.remove(worker);
    return others;
  }

  private void inBackground(Runnable work) {
    helpers.execute(
        () -> {
          try {
            work.run();
          } catch (RuntimeException | Error e) {
            note("failed: " + e);
            failures.add(e);
          }
        });
  }

  private long millis() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
  }

  private void note(String what) {
    story.add(millis() + " ms: " + what);
    if (ChaosTest.VERBOSE) {
      System.err.println("[chaos] " + story.get(story.size() - 1));
    }
  }

  Map<String, Long> counts() {
    return counts;
  }

  /** Returns the troubles that are over, with their times. */
  List<Episode> episodes() {
    return episodes;
  }

  String story() {
    return "\n  " + String.join("\n  ", story);
  }

  @Override
  public void close() {
    helpers.shutdownNow();
  }
}
