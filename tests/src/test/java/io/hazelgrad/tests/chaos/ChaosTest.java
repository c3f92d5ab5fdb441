package io.hazelgrad.tests.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hazelgrad.autograd.AutogradOptions;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random work with references and backward passes on four workers, two clients and this JVM, while
 * workers and clients are killed, frozen, cut off, drained, restarted and added at random. After
 * the grid has healed, every open handle leads to its object, no wrong value was ever read, every
 * pass gave all its gradients or none, every failure is one that the troubles explain, and nothing
 * is left after the last handle was closed.
 *
 * <p>{@code -Dchaos.seconds=1200} sets the length, {@code -Dchaos.seed=...} repeats the choices
 * (not the timing) of an earlier run, {@code -Dchaos.kinds=KILL,JOIN} restricts the troubles to
 * these kinds, {@code -Dhazelgrad.autograd.scheduler=jobs} makes Jet carry the gradients, {@code
 * -Dchaos.verbose=true} shows the logs.
 */
@ExtendWith(Leftovers.class)
class ChaosTest {
  static final Duration LENGTH =
      Duration.ofSeconds(
          Long.getLong("chaos.seconds", Boolean.getBoolean("hazelgrad.tests.full") ? 60 : 12));
  static final boolean VERBOSE = Boolean.getBoolean("chaos.verbose");

  /**
   * Log settings of the other processes. The last lines of a worker that does not come back are
   * printed. They must show the reason and not hundreds of messages about partitions.
   */
  static final List<String> LOGS =
      Stream.concat(
              Stream.of(
                  "com.hazelcast.internal.cluster=info",
                  "com.hazelcast.spi.impl.operationservice.impl.Invocation=error"),
              VERBOSE ? Stream.of("io.hazelgrad=info", "io.hazelgrad.rref=debug") : Stream.of())
          .map(level -> "-Dorg.slf4j.simpleLogger.log." + level)
          .toList();

  /** The setting of the scheduler of backward passes, for all processes. */
  static final List<String> SCHEDULER =
      Stream.ofNullable(System.getProperty(AutogradOptions.SCHEDULER_PROPERTY))
          .map(name -> "-D" + AutogradOptions.SCHEDULER_PROPERTY + "=" + name)
          .toList();

  private static final Duration PATIENCE = Duration.ofMinutes(3);

  /** Longer than the silence after which a member is lost. */
  private static final Duration SETTLING = Duration.ofSeconds(7);

  private static final Duration LETTING_GO = Duration.ofMinutes(1);
  private static final int SHOWN = 20;

  @TempDir private Path history;

  @Test
  void gridLeavesNothingAndErrsNowhereUnderChaos() throws Exception {
    run(false);
  }

  @Test
  @Tag("slow")
  void gridLeavesNothingAndErrsNowhereUnderChaosOnHosts() throws Exception {
    String reason = JvmCluster.hostsUnavailable();
    assumeTrue(reason.isEmpty(), reason);
    run(true);
  }

  private void run(boolean hosts) throws Exception {
    long seed = Long.getLong("chaos.seed", System.nanoTime() % 1_000_000);
    System.out.println("chaos of " + LENGTH.toSeconds() + " s with -Dchaos.seed=" + seed);
    Random random = new Random(seed);
    TroublePlan plan = new TroublePlan(kinds(hosts), new Random(random.nextLong()));
    try (ChaosCluster chaosCluster = new ChaosCluster(random.nextLong(), hosts, history);
        TroubleExecutor troubles = new TroubleExecutor(chaosCluster, plan)) {
      Coordinator coordinator = Coordinator.open(chaosCluster.cluster().grid());
      ChaosCluster.WORKERS.forEach(chaosCluster::awaitBack);
      coordinator.watchLosses();
      troubles.run(LENGTH);
      troubles.end();
      chaosCluster.cluster().awaitPeace(SETTLING);
      endPhase(coordinator, chaosCluster, Coordinator.Phase.CHECK);
      endPhase(coordinator, chaosCluster, Coordinator.Phase.RELEASE);
      coordinator.judgeLosses();
      ResultCounts counts = coordinator.counts();
      print(coordinator, troubles, counts);
      List<String> violations = new ArrayList<>(judge(troubles));
      violations.addAll(counts.wrong());
      assertThat(violations).as("violations; the story: " + troubles.story()).isEmpty();
      chaosCluster.closeClients();
      Await.until(LETTING_GO, () -> left(chaosCluster.cluster().grid()));
      Leftovers.check();
    }
  }

  private static List<TroubleKind> kinds(boolean hosts) {
    String kinds = System.getProperty("chaos.kinds", "");
    Stream<TroubleKind> asked =
        kinds.isEmpty()
            ? Stream.of(TroubleKind.values())
            : Arrays.stream(kinds.split(",")).map(TroubleKind::valueOf);
    return asked.filter(kind -> hosts || !kind.needsHosts()).toList();
  }

  private static void endPhase(
      Coordinator coordinator, ChaosCluster chaosCluster, Coordinator.Phase phase) {
    coordinator.begin(phase);
    Await.until(
        PATIENCE,
        () -> {
          List<String> missing = coordinator.missing(chaosCluster.agents());
          return missing.isEmpty() ? "" : "agents " + missing + " have ended " + phase;
        });
  }

  private List<String> judge(TroubleExecutor troubles) throws IOException {
    History all = History.read(history);
    System.out.println("history:   " + all.summary());
    return HistoryRules.violations(all, troubles.episodes()).stream().limit(SHOWN).toList();
  }

  /** Returns the remaining entries of the registry, and how many counters were not dropped. */
  private static String left(Grid grid) {
    List<String> entries =
        grid.hazelcast().getMap("hazelgrad.rrefs").entrySet().stream()
            .map(Object::toString)
            .filter(entry -> !entry.contains("=GONE") && !entry.contains("forks=[]"))
            .limit(SHOWN)
            .toList();
    if (!entries.isEmpty()) {
      return "no entries are left: "
          + entries
          + "; in the grid are "
          + grid.workers()
          + " and the clients "
          + grid.hazelcast().getMap("hazelgrad.clients").values();
    }
    int values = grid.hazelcast().getMap("hazelgrad.values").size();
    if (values > 0) {
      return "values of durable counters are left: " + values;
    }
    return Stream.concat(
            counts(grid, "counters", Agent::livingCounters),
            counts(grid, "contexts and passes", GradientChain::left))
        .collect(Collectors.joining(", "));
  }

  private static Stream<String> counts(Grid grid, String what, Function.F0<Integer> count) {
    return grid.workers().stream()
        .map(worker -> worker.name() + " " + grid.rpc().sync(worker.name(), count))
        .filter(text -> !text.endsWith(" 0"))
        .map(text -> what + " are left: " + text);
  }

  private static void print(
      Coordinator coordinator, TroubleExecutor troubles, ResultCounts counts) {
    System.out.println("troubles:  " + troubles.counts());
    System.out.println("agents:    " + coordinator.agents());
    System.out.println("went well: " + counts.done());
    System.out.println("failed:    " + counts.statuses());
    System.out.println("  by kind: " + counts.failed());
    System.out.println("longest wait, ms: " + counts.longest());
  }
}
