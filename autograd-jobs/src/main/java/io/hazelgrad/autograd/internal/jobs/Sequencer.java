package io.hazelgrad.autograd.internal.jobs;

import com.hazelcast.jet.core.BroadcastKey;
import com.hazelcast.jet.core.Inbox;
import com.hazelcast.jet.core.Outbox;
import com.hazelcast.jet.core.Processor;
import com.hazelcast.jet.core.Watermark;
import io.hazelgrad.autograd.jobs.DatasetProgram;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Deals the steps of a training: numbers for a data set, rows for a stream. It is on the member of
 * the first trainer, and at most two steps ahead of it, so that the barrier of a snapshot is soon
 * at the trainers.
 *
 * <p>Jet asks for a snapshot at a fixed rate. While the last one is younger than its cost allows,
 * the sequencer puts the barrier off and deals steps meanwhile.
 */
final class Sequencer implements Processor {
  private static final int AHEAD = 2;
  private static final long WAIT_MILLIS = 50;
  private static final String STEP = "step";
  private static final String ROW = "row";

  private final TrainingTask task;
  private final LocalRun run;
  private final Newcomers newcomers;
  private final boolean waiting;
  private @Nullable Outbox outbox;
  private long step;
  private long steps;
  private List<Object> rows = new ArrayList<>();
  private long snapshotNanos = System.nanoTime();

  /** The number of entries of the snapshot under way that Jet has taken; -1 if there is none. */
  private int saved = -1;

  /** Restored rows by their places. */
  private final Map<Integer, Object> restored = new TreeMap<>();

  /**
   * Makes a sequencer.
   *
   * @param waiting whether there are too few trainers to deal anything
   */
  Sequencer(TrainingTask task, LocalRun run, Newcomers newcomers, boolean waiting) {
    this.task = task;
    this.run = run;
    this.newcomers = newcomers;
    this.waiting = waiting;
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
      steps = new RowOrder(program.data().size(), task.options()).steps();
    }
    StartState start = task.start();
    step = start == null ? 0 : start.step();
  }

  // ---- A data set ----

  @Override
  public boolean complete() {
    newcomers.look();
    if (task.program() instanceof DatasetProgram<?, ?>) {
      return deal() || run.isStopped();
    }
    return true; // The stream has ended, which streams do not.
  }

  /** Deals steps as long as the trainer takes them; returns true after the last one. */
  private boolean deal() {
    if (waiting) {
      return pause();
    }
    while (step < steps && run.awaitStep(step, AHEAD, WAIT_MILLIS)) {
      if (!offer(step)) {
        return false;
      }
      step++;
    }
    return step >= steps;
  }

  private boolean offer(Object item) {
    return Objects.requireNonNull(outbox).offer(item);
  }

  /** Lets a little time pass, so that Jet does not ask all the time. */
  private boolean pause() {
    return run.awaitStep(Long.MAX_VALUE, 0, WAIT_MILLIS);
  }

  // ---- A stream ----

  @Override
  public boolean tryProcess() {
    newcomers.look();
    return true;
  }

  @Override
  public void process(int ordinal, Inbox inbox) {
    int batch = task.options().batch();
    while (!inbox.isEmpty() || rows.size() == batch) {
      if (step >= steps || run.isStopped()) {
        inbox.clear();
        return;
      }
      if (rows.size() < batch) {
        rows.add(Objects.requireNonNull(inbox.poll()));
      } else if (run.awaitStep(step, AHEAD, WAIT_MILLIS) && offer(new DealtRows(step, rows))) {
        rows = new ArrayList<>();
        step++;
      } else {
        return;
      }
    }
  }

  @Override
  public boolean tryProcessWatermark(Watermark watermark) {
    return true;
  }

  // ---- Snapshots ----

  @Override
  public boolean saveToSnapshot() {
    Outbox jet = Objects.requireNonNull(outbox);
    if (saved < 0) {
      if (jet.hasUnfinishedItem()) { // A step that was dealt to put a snapshot off.
        step += offer(step) ? 1 : 0;
        return false;
      }
      if (snapshotNanos + run.nanosBetweenSnapshots() - System.nanoTime() > 0 && isDealing()) {
        return false;
      }
      saved = 0;
    }
    for (; saved <= rows.size(); saved++) {
      boolean isStep = saved == 0;
      var key = BroadcastKey.broadcastKey(isStep ? STEP : ROW + (saved - 1));
      if (!jet.offerToSnapshot(key, isStep ? (Object) step : rows.get(saved - 1))) {
        return false;
      }
    }
    saved = -1;
    snapshotNanos = System.nanoTime();
    return true;
  }

  /** Deals steps of a data set, to put a snapshot off; false if there is nothing to deal. */
  private boolean isDealing() {
    boolean isData = task.program() instanceof DatasetProgram<?, ?>;
    return isData && !waiting && !newcomers.areThere() && !deal() && !run.isStopped();
  }

  @Override
  public void restoreFromSnapshot(Inbox inbox) {
    for (Object item = inbox.poll(); item != null; item = inbox.poll()) {
      Map.Entry<?, ?> entry = (Map.Entry<?, ?>) item;
      String key = (String) ((BroadcastKey<?>) entry.getKey()).key();
      if (key.equals(STEP)) {
        step = (Long) entry.getValue();
      } else {
        restored.put(Integer.parseInt(key.substring(ROW.length())), entry.getValue());
      }
    }
  }

  @Override
  public boolean finishSnapshotRestore() {
    rows.addAll(restored.values());
    restored.clear();
    return true;
  }
}
