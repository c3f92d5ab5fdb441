package io.hazelgrad.autograd.internal.jobs;

import com.hazelcast.core.HazelcastException;
import com.hazelcast.jet.JetException;
import com.hazelcast.jet.RestartableException;
import com.hazelcast.jet.core.Inbox;
import com.hazelcast.jet.core.Outbox;
import com.hazelcast.jet.core.Processor;
import com.hazelcast.jet.core.Watermark;
import com.hazelcast.jet.core.metrics.Metrics;
import com.hazelcast.jet.core.metrics.Unit;
import io.hazelgrad.autograd.internal.jobs.steps.RowOrder;
import io.hazelgrad.autograd.jobs.Dataset;
import io.hazelgrad.autograd.jobs.DatasetProgram;
import io.hazelgrad.autograd.jobs.TrainingStep;
import io.hazelgrad.autograd.parallel.StepTimes;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.GridContext;
import java.util.AbstractList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The trainer of one member as a processor of Jet: makes the dealt steps, and begins where the last
 * snapshot was.
 *
 * <p>All trainers have the same state after the same step. So the first trainer alone saves it, and
 * all restore what it saved. A trainer begins with its first step.
 *
 * <p>A trainer that cannot go on because another one is missing asks Jet for a restart. Any other
 * failure ends the job. It is written to the job's status before the others can notice that this
 * trainer is gone, so they do not take it for a loss.
 */
final class TrainerProcessor implements Processor {
  /** The failures of a trainer that come from the loss of another one. */
  private static final Set<Status> LOSSES =
      Set.of(
          Status.WORKER_LOST,
          Status.UNKNOWN_WORKER,
          Status.CLOSED,
          Status.TIMEOUT,
          Status.NO_QUORUM,
          Status.FENCED,
          Status.REJECTED);

  /** So many restarts without a step in between are no coincidence. */
  private static final int MOST_VAIN_STARTS = 30;

  /** The longest time in a call by Jet, which cannot end the job meanwhile. */
  private static final long WAIT_MILLIS = 200;

  private final TrainingService service;
  private final GridContext grid;
  private final TrainingTask task;
  private final LocalRun run;
  private final StatusWriter status;
  private final long execution;
  private final List<String> trainers;
  private final boolean isFirst;
  private @Nullable CompletableFuture<? extends Trainer<?, ?>> beginning;
  private @Nullable Trainer<?, ?> trainer;
  private @Nullable RowOrder order;
  private @Nullable Dataset<?> dataset;
  private boolean isComplete;

  TrainerProcessor(
      TrainingService service,
      TrainingTask task,
      LocalRun run,
      StatusWriter status,
      long execution,
      List<String> trainers,
      boolean isFirst) {
    this.service = service;
    this.grid = service.grid();
    this.isFirst = isFirst;
    this.task = task;
    this.run = run;
    this.status = status;
    this.execution = execution;
    this.trainers = List.copyOf(trainers);
  }

  @Override
  public boolean isCooperative() {
    return false;
  }

  @Override
  public void init(Outbox outbox, Context context) {
    if (task.program() instanceof DatasetProgram<?, ?> program) {
      guarded(() -> dataset = run.open(program));
      order = new RowOrder(Objects.requireNonNull(dataset).size(), task.options());
    }
  }

  // ---- Steps ----

  /** Makes one step, so that Jet can end the job between two of them. */
  @Override
  public void process(int ordinal, Inbox inbox) {
    guarded(
        () -> {
          Trainer<?, ?> current = trainer();
          if (current != null) {
            saveIfAsked(current);
            step(current, Objects.requireNonNull(inbox.peek()));
            inbox.remove();
            saveIfAsked(current);
          }
        });
  }

  @SuppressWarnings("unchecked") // The sequencer deals rows of the program, or the numbers of its.
  private void step(Trainer<?, ?> current, Object dealt) {
    Trainer<?, Object> typed = (Trainer<?, Object>) current;
    if (dealt instanceof Long number) {
      RowOrder numbers = Objects.requireNonNull(order);
      typed.step(numbers.step(number), (List<Object>) rows(numbers.rows(number)));
    } else {
      DealtRows rows = (DealtRows) dealt;
      typed.step(new TrainingStep(rows.step(), 0, false), rows.rows());
    }
    tell(current);
  }

  /** Returns a view of the rows, so that a trainer reads only its own. */
  private List<?> rows(int[] numbers) {
    Dataset<?> read = Objects.requireNonNull(dataset);
    return new AbstractList<Object>() {
      @Override
      public Object get(int index) {
        return read.row(numbers[index]);
      }

      @Override
      public int size() {
        return numbers.length;
      }
    };
  }

  private void tell(Trainer<?, ?> current) {
    StepTimes times = current.times();
    Metrics.metric("steps").set(current.made());
    Metrics.metric("loss_millionths").set((long) (current.journal().lastLoss() * 1e6));
    Metrics.metric("rows_per_second").set((long) times.rowsPerSecond());
    times
        .milliseconds()
        .forEach((part, millis) -> Metrics.metric(part, Unit.MS).set(Math.round(millis)));
    if (isFirst) {
      status.running(current, order);
    }
  }

  /**
   * Returns the trainer, or null while it waits for the others. It waits on another thread: Jet
   * ends a job only between two calls of a processor, and those that it has ended do not come any
   * more.
   */
  private @Nullable Trainer<?, ?> trainer() {
    if (trainer == null) {
      if (beginning == null) {
        beginning = CompletableFuture.supplyAsync(this::begin, grid.background());
      }
      try {
        trainer = beginning.get(WAIT_MILLIS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        return null;
      } catch (ExecutionException e) {
        throw e.getCause() instanceof RuntimeException cause ? cause : new JetException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return null;
      }
    }
    return trainer;
  }

  private Trainer<?, ?> begin() {
    if (run.startsWithoutStep() > MOST_VAIN_STARTS) {
      throw new GridException(
          Status.INTERNAL,
          "the job was restarted %d times without a step".formatted(MOST_VAIN_STARTS));
    }
    // Before it joins the others: the first trainer writes no other snapshot until all have joined.
    TrainingState restored = service.snapshots().state(task.name());
    return Trainer.begin(grid.grid(), task, run, execution, trainers, restored);
  }

  @Override
  public boolean tryProcess() {
    Trainer<?, ?> current = trainer;
    if (current != null) {
      guarded(() -> saveIfAsked(current));
    }
    return true;
  }

  @Override
  public boolean complete() {
    guarded(
        () -> {
          Trainer<?, ?> current = trainer();
          isComplete = current != null && (!isFirst || status.completed(current, order));
        });
    return isComplete;
  }

  @Override
  public boolean tryProcessWatermark(Watermark watermark) {
    return true;
  }

  // ---- Snapshots ----

  private void saveIfAsked(Trainer<?, ?> current) {
    SnapshotRequests.Request request = isFirst ? run.snapshots().after(current.made()) : null;
    if (request != null) {
      long start = System.nanoTime();
      if (service.snapshots().write(task.name(), current.state(), request.position())) {
        run.snapshots().done(request, System.nanoTime() - start);
      } else {
        run.snapshots().putOff(System.nanoTime() - start);
      }
    }
  }

  // ---- Failures ----

  private void guarded(Runnable work) {
    try {
      work.run();
    } catch (GridException e) {
      if (LOSSES.contains(e.status())) {
        String fatal = status.failure();
        throw fatal == null ? restart(e) : new JetException(fatal, e);
      }
      throw failed(e);
    } catch (HazelcastException | RejectedExecutionException e) { // The member leaves.
      throw restart(new GridException(Status.CLOSED, e.toString(), e));
    } catch (RuntimeException | Error e) {
      throw failed(e);
    }
  }

  static RestartableException restart(GridException cause) {
    return new RestartableException("a trainer is missing: " + cause.getMessage(), cause);
  }

  private JetException failed(Throwable cause) {
    String message =
        "worker %s: %s"
            .formatted(
                grid.self().name(),
                cause instanceof GridException ? cause.getMessage() : cause.toString());
    status.failed(message);
    return new JetException(message, cause);
  }

  @Override
  public void close() {
    run.closeData();
    if (trainer != null) {
      trainer.close();
    } else if (beginning != null) {
      var unused = beginning.thenAccept(Trainer::close); // When the others have come, or never.
    }
  }
}
