package io.hazelgrad.tests.split;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Worker;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.tests.Counter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Measures the time from the death of all workers but one to the whole grid. What died is started
 * anew at once and at its address, as a process supervisor does it. The system property {@code
 * recovery.rounds} sets the number of rounds, each with a cluster of its own.
 */
class RecoveryTimeTest {
  private static final int ROUNDS = Integer.getInteger("recovery.rounds", 10);
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5})
  @Tag("slow")
  void gridIsWholeWithinLimitWhenAllButOneAreKilledAndRestarted(int workers) {
    List<Duration> times = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      times.add(recoveryOf(workers));
    }
    times.sort(null);
    System.out.printf(
        "recovery of %s workers: median %s ms, longest %s ms, of %s rounds%n",
        workers,
        times.get(times.size() / 2).toMillis(),
        times.get(times.size() - 1).toMillis(),
        times.size());
    assertThat(times).allMatch(time -> time.compareTo(LIMIT) < 0);
  }

  private static Duration recoveryOf(int workers) {
    String[] names = IntStream.range(1, workers).mapToObj(n -> "W" + n).toArray(String[]::new);
    try (JvmCluster cluster = JvmCluster.workers(names).start();
        RRef<Counter> own = cluster.rrefs().local(new Counter())) {
      cluster.awaitAgreement(names);
      Worker before = cluster.grid().worker();
      long start = System.nanoTime();
      List.of(names).forEach(cluster::kill);
      List.of(names).stream()
          .map(name -> CompletableFuture.runAsync(() -> cluster.start(name)))
          .toList()
          .forEach(CompletableFuture::join);
      cluster.awaitAgreement(names);
      Duration time = Duration.ofNanos(System.nanoTime() - start);
      assertThat(cluster.grid().worker()).isEqualTo(before);
      assertThat(own.sync(Counter::add, 1)).isEqualTo(1);
      return time;
    }
  }
}
