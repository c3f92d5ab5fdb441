package io.hazelgrad.tests.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.tests.Await;
import io.hazelgrad.tests.JvmCluster;
import io.hazelgrad.tests.Leftovers;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Random work with references on four workers and this JVM, while workers are killed, frozen, cut
 * off, drained, restarted and added at random. In the end no wrong stone was ever read, and nothing
 * is left.
 *
 * <p>{@code -Dchaos.seconds=1200} lets it run as long as that, {@code -Dchaos.seed=...} repeats the
 * choices (not the timing) of an earlier run, {@code -Dchaos.kinds=KILL,JOIN} makes only such
 * trouble.
 */
@ExtendWith(Leftovers.class)
class ChaosTest {
  private static final List<String> WORKERS = List.of("A", "B", "C", "D");
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Test
  void nothingIsLeftAndNothingWasWrong() {
    long seed = Long.getLong("chaos.seed", System.nanoTime());
    Duration length = Duration.ofSeconds(Long.getLong("chaos.seconds", 60));
    System.out.println("chaos of " + length.toSeconds() + " s with -Dchaos.seed=" + seed);
    Random random = new Random(seed);
    try (JvmCluster cluster = JvmCluster.workers(WORKERS.toArray(String[]::new)).cuttable().start()) {
      Agent.begin(cluster.grid(), random.nextLong());
      startMissing(cluster, random);
      Troubles troubles =
          new Troubles(
              cluster, WORKERS, kinds(), new Random(random.nextLong()));
      long end = System.nanoTime() + length.toNanos();
      while (System.nanoTime() - end < 0) {
        troubles.once();
        startMissing(cluster, random);
      }
      Tally tally = stopAll(cluster);
      System.out.println("troubles " + troubles.counts());
      System.out.println("done " + tally.done());
      System.out.println("failed " + tally.failed());
      assertThat(tally.wrong()).as("wrongs; the story: " + troubles.story()).isEmpty();
      Leftovers.check();
    }
  }

  private static List<Troubles.Kind> kinds() {
    String kinds = System.getProperty("chaos.kinds", "");
    return kinds.isEmpty()
        ? List.of(Troubles.Kind.values())
        : Arrays.stream(kinds.split(",")).map(Troubles.Kind::valueOf).toList();
  }

  /** Lets an agent work on each worker that is there and has none. */
  private static void startMissing(JvmCluster cluster, Random random) {
    for (Worker worker : cluster.grid().workers()) {
      try {
        if (!cluster.grid().rpc().sync(worker, Function.of(Agent::isAtWork))) {
          cluster.grid().rpc().sync(worker, Function.action(Agent::start), random.nextLong());
        }
      } catch (GridException e) {
        // It is gone again, or cut off; it gets one in the next round.
      }
    }
  }

  private static Tally stopAll(JvmCluster cluster) {
    cluster.heal();
    cluster.startMissing();
    Await.until(
        PATIENCE,
        () -> {
          List<String> names =
              cluster.grid().workers().stream().map(Worker::name).sorted().toList();
          return names.equals(List.of("A", "B", "C", "D", JvmCluster.DRIVER)) ? "" : "only " + names;
        });
    Tally all = Tally.none();
    for (Worker worker : cluster.grid().workers()) {
      all = all.plus(cluster.grid().rpc().sync(worker, Function.of(Agent::stop)));
    }
    return all;
  }
}
