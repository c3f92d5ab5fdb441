package io.hazelgrad.tests.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.client.config.ClientConfig;
import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.cli.LocalClients;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import io.hazelgrad.tests.Counter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Mixed work for a long time: calls, failures, references, durable objects, tensors, passes, and
 * clients that come and go. What each worker holds is counted every few seconds and must be flat.
 * Rounds of work have a pace, since workers remember ended objects and calls for a time: of quicker
 * work they remember more. The system property {@code soak.minutes} sets the time, 4 by default;
 * the first ten minutes, or half of a shorter time, do not count.
 */
@Tag("slow")
class SoakTest {
  private static final double SECONDS =
      60 * Double.parseDouble(System.getProperty("soak.minutes", "4"));
  private static final double WARM = Math.min(600, SECONDS / 2);
  private static final double PERIOD = Math.max(5, SECONDS / 120);
  private static final int LARGE = 1 << 19;
  private static final long PACE_NANOS = 100_000_000;

  private final Map<String, Trend> trends = new LinkedHashMap<>();
  private long rounds;

  @Test
  @Timeout(value = 2, unit = TimeUnit.HOURS)
  void whatWorkersHoldIsFlatUnderMixedWork() {
    try (JvmCluster cluster =
        JvmCluster.workers("A", "B").jvmOptions("-XX:TieredStopAtLevel=4").start()) {
      long start = System.nanoTime();
      double sampled = -PERIOD;
      double now = 0;
      while (now < SECONDS) {
        long begun = System.nanoTime();
        work(cluster);
        now = (System.nanoTime() - start) / 1e9;
        if (now - sampled >= PERIOD) {
          sampled = now;
          sample(cluster, now);
        }
        LockSupport.parkNanos(begun + PACE_NANOS - System.nanoTime());
      }
      double end = now;
      trends.forEach(
          (worker, trend) ->
              System.out.printf("%s, first, mean, last:%n%s", worker, trend.summary(WARM)));
      System.out.printf("soak: %d rounds in %.0f s%n", rounds, end);
      assertThat(rounds).as("rounds of work").isGreaterThan((long) (SECONDS / 5));
      trends.forEach((worker, trend) -> assertThat(trend.growing(WARM, end)).as(worker).isEmpty());
    }
    Leftovers.check();
  }

  private void sample(JvmCluster cluster, double now) {
    for (String worker : List.of("A", "B")) {
      trends
          .computeIfAbsent(worker, name -> new Trend())
          .add(now, cluster.grid().rpc().sync(worker, SoakProbe::counts));
    }
    trends
        .computeIfAbsent(JvmCluster.DRIVER, name -> new Trend())
        .add(now, SoakProbe.counts(cluster.grid()));
  }

  private void work(JvmCluster cluster) {
    rounds++;
    calls(cluster);
    references(cluster);
    tensors(cluster);
    SoakPasses.run(Autograd.on(cluster.grid()), cluster.grid().rpc(), "A");
    if (rounds % 10 == 0) {
      client(cluster);
    }
  }

  private static void calls(JvmCluster cluster) {
    List<CompletableFuture<Integer>> sums =
        IntStream.range(0, 50)
            .mapToObj(i -> cluster.grid().rpc().async(i % 2 == 0 ? "A" : "B", SoakProbe::add, i, 1))
            .toList();
    for (int i = 0; i < sums.size(); i++) {
      assertThat(sums.get(i).join()).isEqualTo(i + 1);
    }
    assertThatThrownBy(() -> cluster.grid().rpc().sync("A", SoakProbe::fail))
        .isInstanceOf(GridException.class);
  }

  private static void references(JvmCluster cluster) {
    try (RRef<Counter> counter = cluster.rrefs().remote("A", Counter::new);
        RRef<Counter.Kept> kept =
            cluster.rrefs().durable(Durability.EVERY_REPLY).remote("B", Counter.Kept::new)) {
      assertThat(cluster.grid().rpc().sync("B", Counter::addThrough, counter, 1)).isEqualTo(1);
      assertThat(counter.sync(Counter::add, 1)).isEqualTo(2);
      assertThat(kept.sync(Counter.Kept::add, 3)).isEqualTo(3);
    }
  }

  private static void tensors(JvmCluster cluster) {
    Tensor large = Tensor.full(DType.FLOAT32, 2, LARGE);
    Tensor echo = cluster.grid().rpc().sync("B", SoakProbe::echo, large);
    assertThat(echo.size()).isEqualTo(LARGE);
    echo.release();
  }

  private static void client(JvmCluster cluster) {
    ClientConfig config =
        LocalClients.config(
            cluster.processes().name(), List.of(cluster.processes().worker("A").clientEndpoint()));
    try (GridClient client = GridClient.connect(config);
        RRef<Counter> counter = client.rrefs().remote("B", Counter::new)) {
      assertThat(counter.sync(Counter::add, 2)).isEqualTo(2);
    }
  }
}
