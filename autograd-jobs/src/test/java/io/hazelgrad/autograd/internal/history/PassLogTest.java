package io.hazelgrad.autograd.internal.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.autograd.ContextId;
import io.hazelgrad.autograd.HistoryOptions;
import io.hazelgrad.autograd.PassInfo;
import io.hazelgrad.autograd.PassInfo.WaveTime;
import io.hazelgrad.autograd.internal.participant.PassMeasurement;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The log keeps the passes that it should, and no more. */
class PassLogTest {
  private static final ContextId CONTEXT = new ContextId(7, 3);
  private static final PassMeasurement MEASURED =
      new PassMeasurement(
          5L,
          List.of(
              new WaveTime("b", 1, Instant.EPOCH, 0.5),
              new WaveTime("b", 0, Instant.EPOCH, 0.5),
              new WaveTime("a", 1, Instant.EPOCH, 0.5)));
  private static final long HOUR = TimeUnit.HOURS.toNanos(1);

  private static GridException broken() {
    return new GridException(Status.PASS_FAILED, "broken");
  }

  private static List<Long> numbers(List<PassLogEntry> passes) {
    return passes.stream().map(PassLogEntry::number).toList();
  }

  @Test
  void passIsListedDuringAndAfterRun() {
    PassLog log = new PassLog(5, HOUR);
    PassLogEntry pass = log.begin(CONTEXT);
    assertThat(log.contexts()).containsExactly(CONTEXT);
    assertThat(log.take().passes()).containsExactly(pass);
    assertThat(log.take().passes()).isEmpty();
    log.end(pass, null);
    assertThat(log.contexts()).isEmpty();
    assertThat(log.take().passes()).containsExactly(pass);
    assertThat(log.take().passes()).isEmpty();
  }

  @Test
  void lastFailedAndSlowestPassesAreKept() {
    AtomicLong clock = new AtomicLong();
    PassLog log = new PassLog(2, HOUR, clock::get);
    PassLogEntry slow = log.begin(CONTEXT);
    PassLogEntry slower = log.begin(CONTEXT);
    PassLogEntry failing = log.begin(CONTEXT);
    log.end(failing, broken());
    Set<Long> known = new HashSet<>(numbers(log.take().passes()));
    long most = 0;
    for (int i = 0; i < 1000; i++) {
      PassLogEntry pass = log.begin(CONTEXT);
      clock.incrementAndGet();
      log.end(pass, null);
      if (i == 500) {
        log.end(slower, null);
        log.end(slow, null);
      }
      if (i % 100 == 0) {
        apply(log.take(), known);
        most = Math.max(most, known.size());
      }
    }
    apply(log.take(), known);
    // Those two were open while 500 others came and went.
    assertThat(known).contains(slow.number(), slower.number(), failing.number(), 1002L, 1003L);
    assertThat(known).hasSize(5);
    assertThat(most).isLessThanOrEqualTo(3 * 2 + 2);
  }

  private static void apply(PassLog.Changes changes, Set<Long> known) {
    known.addAll(numbers(changes.passes()));
    assertThat(known).containsAll(changes.dropped());
    changes.dropped().forEach(known::remove);
  }

  @Test
  void changesAreTakenAgainWhenPutBack() {
    PassLog log = new PassLog(1, HOUR);
    PassLogEntry first = log.begin(CONTEXT);
    PassLog.Changes running = log.take();
    log.putBack(running);
    assertThat(log.take()).isEqualTo(running);
    log.end(first, null);
    PassLog.Changes ended = log.take();
    log.putBack(ended);
    assertThat(log.take().passes()).containsExactly(first);
  }

  @Test
  void dropsAreTakenAgainWhenPutBack() {
    PassLog log = new PassLog(1, -1); // Keeps no ended pass.
    PassLogEntry pass = log.begin(CONTEXT);
    assertThat(log.take().passes()).containsExactly(pass);
    log.end(pass, null);
    PassLog.Changes dropping = log.take();
    assertThat(dropping.dropped()).containsExactly(pass.number());
    log.putBack(dropping);
    assertThat(log.take()).isEqualTo(dropping);
    assertThat(log.take().dropped()).isEmpty();
  }

  @Test
  void untakenPassesAreDropped() {
    PassLog log = new PassLog(1, HOUR);
    LongStream.range(0, 100).forEach(i -> log.end(log.begin(CONTEXT), null));
    PassLog.Changes changes = log.take();
    assertThat(changes.passes()).hasSizeBetween(1, 2); // The last one, and the slowest.
    assertThat(changes.dropped()).isEmpty();
  }

  @Test
  void oldPassesAreRemoved() {
    PassLog log = new PassLog(5, 0, new AtomicLong()::incrementAndGet);
    PassLogEntry pass = log.begin(CONTEXT);
    assertThat(log.take().passes()).containsExactly(pass);
    log.end(pass, broken());
    assertThat(log.take()).isEqualTo(new PassLog.Changes(List.of(), List.of(pass.number())));
  }

  @Test
  void firstEndCounts() {
    PassLog log = new PassLog(5, HOUR);
    PassLogEntry pass = log.begin(CONTEXT);
    log.end(pass, null);
    log.end(pass, broken());
    assertThat(log.take().passes()).containsExactly(pass);
    assertThat(pass.info(new Worker("w", 7, UUID.randomUUID()), false, MEASURED).state())
        .isEqualTo(PassInfo.State.COMMITTED);
  }

  @Test
  void logIsEmptyWhenOff() {
    PassLog log = new PassLog(0, HOUR);
    PassLogEntry running = log.begin(CONTEXT);
    log.end(log.begin(CONTEXT), broken());
    assertThat(log.isOff()).isTrue();
    assertThat(log.contexts()).isEmpty();
    assertThat(log.take()).isEqualTo(new PassLog.Changes(List.of(), List.of()));
    assertThat(running.hasEnded()).isFalse();
  }

  @Test
  void failureHasStatusAndShortenedText() {
    Worker worker = new Worker("w", 7, UUID.randomUUID());
    PassLogEntry pass = new PassLogEntry(1, CONTEXT, System::nanoTime);
    assertThat(pass.info(worker, true, MEASURED).bytes()).isNull();
    assertThat(pass.ended(new IllegalStateException("x".repeat(5000)))).isTrue();
    PassInfo info = pass.info(worker, true, MEASURED);
    assertThat(info.state()).isEqualTo(PassInfo.State.ABORTED);
    assertThat(info.context()).isEqualTo("7-3");
    assertThat(info.pass()).isNull();
    assertThat(info.isClient()).isTrue();
    assertThat(info.workers()).containsExactly("w");
    assertThat(info.status()).isEqualTo("INTERNAL");
    assertThat(info.error()).hasSize(1003).startsWith("java.lang.IllegalStateException: xxx");
    assertThat(info.bytes()).isEqualTo(5);
    assertThat(info.milliseconds()).isPositive();
    assertThat(info.times())
        .extracting(wave -> wave.wave() + wave.worker())
        .containsExactly("0b", "1a", "1b");
  }

  @Test
  void numberOfKeptPassesIsChecked() {
    assertThatThrownBy(() -> HistoryOptions.defaults().withPasses(1001))
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).isEqualTo(Status.BAD_CONFIG))
        .hasMessageContaining("1001");
  }
}
