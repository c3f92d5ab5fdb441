package io.hazelgrad.autograd.internal.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.jet.core.Outbox;
import io.hazelgrad.autograd.internal.jobs.steps.QueueInbox;
import io.hazelgrad.autograd.jobs.Dataset;
import io.hazelgrad.autograd.jobs.DatasetProgram;
import io.hazelgrad.autograd.jobs.StreamProgram;
import io.hazelgrad.autograd.jobs.TrainingOptions;
import io.hazelgrad.autograd.jobs.TrainingProgram;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.GridContext;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Random orders of the events between a source, a sequencer and the first trainer, with snapshots
 * and deaths at any time: each row is in exactly one step of what survives, and in its order.
 *
 * <p>The sequencer, its requests for snapshots and what it shares with the trainer are the real
 * ones. Source, trainer and snapshots are models. Nothing here depends on time.
 */
final class SequencerTest {
  private static final int RUNS = Boolean.getBoolean("hazelgrad.tests.full") ? 20_000 : 400;
  private static final int BATCH = 4;
  private static final int STEPS = 25;
  private static final int MOST_QUEUED = 4;
  private static final int MOST_EVENTS = 100_000;
  private static final Duration PERIOD = Duration.ofMillis(1);

  @Test
  void eachRowOfDatasetCountsOnceWhateverDies() {
    for (int seed = 0; seed < RUNS; seed++) {
      List<Integer> numbers = new Story(seed, program(DatasetProgram.class)).run();
      assertThat(numbers).as("seed %d", seed).isEqualTo(IntStream.range(0, STEPS).boxed().toList());
    }
  }

  @Test
  void eachRowOfStreamCountsOnceWhateverDies() {
    List<Integer> expected = IntStream.range(0, STEPS * BATCH).boxed().toList();
    for (int seed = 0; seed < RUNS; seed++) {
      assertThat(new Story(seed, program(StreamProgram.class)).run())
          .as("seed %d", seed)
          .isEqualTo(expected);
    }
  }

  /** A snapshot. The rows that have counted stand for the state of the model. */
  private record Snapshot(long step, List<Integer> counted, StreamPosition position) {}

  /** One training in a random order of events. */
  private static final class Story {
    private final SplittableRandom random;
    private final TrainingTask task;
    private final boolean isStream;
    private final LocalRun run;
    private long nanos;
    private Snapshot stored = new Snapshot(0, List.of(), null);

    // Those of one start of the job.
    private Sequencer sequencer;
    private long step;
    private List<Integer> counted;
    private int next;
    private boolean isPositionSent;
    private final Queue<Object> dealt = new ArrayDeque<>();
    private final QueueInbox sent = new QueueInbox();

    Story(long seed, TrainingProgram<?, Integer> program) {
      random = new SplittableRandom(seed);
      isStream = program instanceof StreamProgram<?, ?>;
      TrainingOptions options =
          TrainingOptions.builder()
              .batch(BATCH)
              .epochs(1)
              .steps(STEPS)
              .shuffle(false)
              .snapshotEvery(PERIOD)
              .build();
      task = new TrainingTask("story", program, options, null);
      run = new LocalRun(options, () -> nanos);
    }

    /** Returns the rows of a stream, or the numbers of the steps, that have counted at the end. */
    List<Integer> run() {
      start(1);
      for (int event = 0; step < STEPS; event++) {
        if (event > MOST_EVENTS) {
          throw new AssertionError("the training makes no progress at step " + step);
        }
        nanos += random.nextInt(100_000);
        int turn = random.nextInt(100);
        if (turn < 30) {
          turnOfSequencer();
        } else if (turn < 60) {
          turnOfTrainer();
        } else if (turn < 97) {
          turnOfSource();
        } else if (turn < 98) {
          run.hold(random.nextInt(3)); // As a suspension that takes too long.
        } else {
          start(event + 2); // Those before have died.
        }
      }
      return counted;
    }

    private void start(long execution) {
      dealt.clear();
      sent.clear();
      isPositionSent = false;
      run.begin(execution);
      StreamPosition position = stored.position;
      step = stored.step;
      counted = new ArrayList<>(stored.counted);
      next = position == null ? 0 : (Integer) position.saved().get(0).getValue();
      List<Object> rows = position == null ? List.of() : position.rows();
      sequencer =
          new Sequencer(
              task,
              run,
              new Newcomers(deaf(), task.options(), List.of(), execution, new byte[0]),
              step,
              rows,
              false);
      sequencer.init(new Dealer(), null);
    }

    /** It has its turn only when it need not wait for the trainer, whose turn comes after it. */
    private void turnOfSequencer() {
      if (isStream && dealt.isEmpty()) {
        if (sent.isEmpty()) {
          var unused = sequencer.tryProcess();
        } else {
          sequencer.process(0, sent);
        }
      } else if (run.isHeld()) {
        var unused = sequencer.tryProcess();
      } else if (!isStream && dealt.size() < 3) {
        var unused = sequencer.complete();
      }
    }

    /** It has as many rows as the training needs; then it is silent, but does not end. */
    private void turnOfSource() {
      if (!isStream || sent.size() >= MOST_QUEUED) {
        return;
      }
      if (run.snapshots().isSourceAsked() && !isPositionSent) {
        isPositionSent = true;
        sent.addAll(
            List.of(new StreamReader.Position(List.of(new SimpleImmutableEntry<>("next", next)))));
      } else {
        isPositionSent &= run.snapshots().isUnderWay();
        if (next < STEPS * BATCH) {
          sent.addAll(List.of(next++));
        }
      }
    }

    private void turnOfTrainer() {
      saveIfAsked();
      Object first = dealt.poll();
      if (first instanceof DealtRows rows) {
        assertThat(rows.step()).isEqualTo(step);
        rows.rows().forEach(row -> counted.add((Integer) row));
      } else if (first instanceof Long number) {
        counted.add(number.intValue());
      }
      if (first != null) {
        step++;
        run.made(step);
        saveIfAsked();
      }
    }

    private void saveIfAsked() {
      SnapshotRequests.Request request = run.snapshots().after(step);
      int outcome = random.nextInt(10);
      if (request != null && outcome == 1) { // No backup confirms it.
        run.snapshots().putOff(random.nextInt(1_000_000));
      } else if (request != null && outcome > 1) { // Or it dies before.
        stored = new Snapshot(step, List.copyOf(counted), request.position());
        run.snapshots().done(request, 0);
      }
    }

    /** Takes what is dealt. */
    private final class Dealer implements Outbox {
      @Override
      public int bucketCount() {
        return 1;
      }

      @Override
      public boolean offer(int ordinal, Object item) {
        return random.nextInt(4) > 0 && dealt.add(item); // Jet's edge may be full.
      }

      @Override
      public boolean offer(int[] ordinals, Object item) {
        return offer(0, item);
      }

      @Override
      public boolean offerToSnapshot(Object key, Object value) {
        throw new AssertionError("Jet takes no snapshots");
      }

      @Override
      public boolean hasUnfinishedItem() {
        return false;
      }
    }
  }

  /** Returns a grid whose directory never answers, so there are no newcomers. */
  private static GridContext deaf() {
    return proxy(
        GridContext.class,
        method -> {
          throw new GridException(Status.TIMEOUT, "no answer");
        });
  }

  /** Returns a program that has a data set at most, and is never asked to compute. */
  @SuppressWarnings("unchecked")
  private static TrainingProgram<?, Integer> program(Class<?> type) {
    return (TrainingProgram<?, Integer>)
        proxy(
            type,
            method -> {
              if (method.equals("data")) {
                return Dataset.of(STEPS * BATCH, number -> number);
              }
              throw new AssertionError(method + " is not in this test");
            });
  }

  private static <T> T proxy(Class<T> type, Function<String, Object> methods) {
    return type.cast(
        Proxy.newProxyInstance(
            SequencerTest.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> methods.apply(method.getName())));
  }
}
