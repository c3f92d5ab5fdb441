package io.hazelgrad.tests.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Status;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.InProcessGrids;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the notes in the history about a handle that nobody uses. */
final class HeldHandleTest {
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final long COUNTER = 17;

  @TempDir private Path folder;

  @Test
  void creationThatFailsIsNoted() throws Exception {
    HistoryLog.into(folder);
    HistoryLog.here().process("a");
    try (InProcessGrids grids = InProcessGrids.join("a", "b")) {
      RRef<HitCounter> made =
          RRefs.on(grids.grid("a"))
              .remote(Duration.ofMillis(100), "b", Function.of(Slow::counter), COUNTER);
      HeldHandle held = new HeldHandle(made, COUNTER, 0, false);
      Await.until("it is noted", DEADLINE, () -> !useless().isEmpty());
      Slow.OVER.countDown();
      held.close();
    }
    assertThat(useless())
        .singleElement()
        .satisfies(
            it -> {
              assertThat(it.counter()).isEqualTo(COUNTER);
              assertThat(it.status()).isEqualTo(Status.RREF_TIMED_OUT);
              assertThat(it.notMade()).isTrue();
            });
  }

  private List<History.Useless> useless() {
    try {
      return History.read(folder).useless();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A function that does not end in time. */
  @RemoteFunctions
  static final class Slow {
    static final CountDownLatch OVER = new CountDownLatch(1);

    private Slow() {}

    static HitCounter counter(long id) throws InterruptedException {
      OVER.await();
      return HitCounter.plain(id);
    }
  }
}
