package io.hazelgrad.autograd.internal.jobs;

import com.hazelcast.jet.core.Inbox;
import com.hazelcast.jet.core.Outbox;
import com.hazelcast.jet.core.Processor;
import com.hazelcast.jet.core.Watermark;
import io.hazelgrad.autograd.internal.jobs.steps.RowOrder;
import io.hazelgrad.autograd.jobs.DatasetProgram;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Deals the steps of a training: numbers for a data set, rows for a stream. It is on the member of
 * the first trainer, and at most two steps ahead of it.
 *
 * <p>It also says when a snapshot is taken: after the steps that it has dealt. While a newcomer is
 * to be taken in, or the job is to be suspended, it deals nothing until a snapshot has all steps.
 */
final class Sequencer implements Processor {
  private static final int AHEAD = 2;
  private static final long WAIT_MILLIS = 50;

  private final TrainingTask task;
  private final LocalRun run;
  private final SnapshotRequests snapshots;
  private final Newcomers newcomers;
  private final boolean isStream;
  private final boolean waiting;
  private @Nullable Outbox outbox;
  private long step;
  private long steps;
  private List<Object> rows = new ArrayList<>();

  /**
   * Makes a sequencer.
   *
   * @param step the step to begin with
   * @param rows rows of a stream that come before those of its source
   * @param waiting whether there are too few trainers to deal anything
   */
  Sequencer(
      TrainingTask task,
      LocalRun run,
      Newcomers newcomers,
      long step,
      List<Object> rows,
      boolean waiting) {
    this.task = task;
    this.run = run;
    this.snapshots = run.snapshots();
    this.newcomers = newcomers;
    this.isStream = !(task.program() instanceof DatasetProgram<?, ?>);
    this.step = step;
    this.rows.addAll(rows);
    this.waiting = waiting;
    run.dealsFrom(step);
  }

  @Override
  public boolean isCooperative() {
    return false;
  }

  @Override
  public void init(Outbox jetOutbox, Context context) {
    outbox = jetOutbox;
    long most = task.options().steps();
    steps = most == 0 ? Long.MAX_VALUE : most;
    if (task.program() instanceof DatasetProgram<?, ?> program) {
      steps = new RowOrder(run.open(program).size(), task.options()).steps();
    }
  }

  @Override
  public boolean tryProcess() {
    newcomers.look();
    takeCareOfSnapshots();
    if (isFull() && !isHolding() && !isOver()) {
      // Jet calls process() only if there are rows, and those that fill a batch may be the last.
      var unused = dealRows();
    }
    return true;
  }

  @Override
  public boolean tryProcessWatermark(Watermark watermark) {
    return true;
  }

  private boolean offer(Object item) {
    return Objects.requireNonNull(outbox).offer(item);
  }

  /** Returns whether it deals nothing for the time being. */
  private boolean isHolding() {
    return waiting || newcomers.areThere() || run.isHeld();
  }

  private boolean isOver() {
    return step >= steps || run.isStopped();
  }

  // ---- A data set ----

  /**
   * Deals the steps of a data set, as long as the trainer takes them, or what is left of a stream
   * that has ended; returns true after the last one.
   */
  @Override
  public boolean complete() {
    if (isStream && !waiting) {
      return dealRest();
    }
    newcomers.look();
    takeCareOfSnapshots();
    if (isHolding()) {
      run.awaitStep(Long.MAX_VALUE, 0, WAIT_MILLIS);
      return false;
    }
    if (step < steps && run.awaitStep(step, AHEAD, WAIT_MILLIS) && offer(step)) {
      step++;
    }
    return isOver();
  }

  // ---- A stream ----

  @Override
  public void process(int ordinal, Inbox inbox) {
    takeCareOfSnapshots();
    while (true) {
      if (isOver()) {
        inbox.clear();
        return;
      }
      boolean isFull = isFull();
      if (isFull && !isHolding() && !dealRows()) {
        return;
      }
      // While it holds, it takes what comes before the position that it has asked for.
      boolean takes = isHolding() ? snapshots.isSourceAsked() : !isFull;
      if (inbox.isEmpty() || (isHolding() && !takes)) {
        return;
      }
      if (takes) {
        take(Objects.requireNonNull(inbox.poll()));
      }
    }
  }

  private boolean isFull() {
    return rows.size() >= task.options().batch();
  }

  /** Deals the last rows of a stream, as many steps as they are; the last may have fewer. */
  private boolean dealRest() {
    while (!rows.isEmpty() && !isOver()) {
      if (!dealRows()) {
        return false;
      }
    }
    return true;
  }

  private boolean dealRows() {
    int batch = Math.min(task.options().batch(), rows.size());
    if (!run.awaitStep(step, AHEAD, WAIT_MILLIS)
        || !offer(new DealtRows(step, rows.subList(0, batch)))) {
      return false;
    }
    rows = new ArrayList<>(rows.subList(batch, rows.size()));
    step++;
    return true;
  }

  private void take(Object item) {
    if (item instanceof StreamReader.Position position) {
      snapshots.ask(step, new StreamPosition(position.saved(), rows));
    } else {
      rows.add(item);
    }
  }

  // ---- Snapshots ----

  private void takeCareOfSnapshots() {
    boolean isSaved = waiting || snapshots.doneStep() == step;
    if (!isSaved && !snapshots.isUnderWay() && (snapshots.isDue() || isHolding())) {
      if (isStream) {
        snapshots.askSource();
      } else {
        snapshots.ask(step, null);
      }
    }
    if (isSaved && run.isHeld()) {
      run.settled();
    }
    if (isSaved && newcomers.areThere()) {
      newcomers.takeIn();
    }
  }
}
