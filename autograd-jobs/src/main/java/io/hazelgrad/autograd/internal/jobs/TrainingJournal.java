package io.hazelgrad.autograd.internal.jobs;

import io.hazelgrad.autograd.jobs.EarlyStopping;
import io.hazelgrad.autograd.jobs.Recovery;
import io.hazelgrad.autograd.jobs.TrainerWork;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.Worker;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The record of a training while it goes on; see {@link TrainingState.Journal}. Each trainer keeps
 * the same one, but for the evaluations, which only the first one makes. Not safe for several
 * threads.
 */
final class TrainingJournal {
  private static final int MOST_LOSSES = 10_000;
  private static final int MOST_RECOVERIES = 1_000;

  private final List<String> before;
  private final List<String> trainers;
  private final List<String> keys;
  private final Map<String, TrainerWork> work = new LinkedHashMap<>();
  private final List<Recovery> recoveries;

  /** The last losses; a loss is at the place of its step, modulo the length. */
  private double[] losses;

  private int count;
  private double last = Double.NaN;
  private long restarts;
  private long repeated;
  private Map<String, Double> figures;
  private double best;
  private int worse;
  private boolean stopped;

  TrainingJournal(TrainingState.Journal restored, List<Worker> members, List<Long> pids) {
    this.before = restored.trainers();
    this.trainers = members.stream().map(Worker::name).toList();
    this.losses = restored.losses().toDoubles();
    this.count = losses.length;
    if (count > 0) {
      last = losses[count - 1];
    }
    this.restarts = restored.restarts();
    this.repeated = restored.repeated();
    this.recoveries = new ArrayList<>(restored.recoveries());
    this.figures = restored.figures();
    this.best = restored.best();
    this.worse = restored.worse();
    this.stopped = restored.stopped();
    restored.work().forEach(each -> work.put(key(each.worker(), each.pid()), each));
    List<String> own = new ArrayList<>();
    for (int i = 0; i < pids.size(); i++) {
      String name = trainers.get(i);
      long pid = pids.get(i);
      own.add(key(name, pid));
      work.putIfAbsent(key(name, pid), new TrainerWork(name, pid, 0, 0));
    }
    this.keys = List.copyOf(own);
  }

  private static String key(String worker, long pid) {
    return worker + "/" + pid;
  }

  /** Adds a step: its loss, and after the parts the rows and then the bytes of each trainer. */
  void add(double loss, Tensor all, int parts) {
    last = loss;
    if (count == losses.length) {
      losses = count < MOST_LOSSES ? Arrays.copyOf(losses, 2 * count + 1) : secondHalf();
    }
    losses[count++] = loss;
    for (int i = 0; i < keys.size(); i++) {
      long rows = (long) all.storage().getDouble(parts + i);
      long bytes = (long) all.storage().getDouble(parts + keys.size() + i);
      work.computeIfPresent(
          keys.get(i),
          (key, sum) ->
              new TrainerWork(sum.worker(), sum.pid(), sum.rows() + rows, sum.bytes() + bytes));
    }
  }

  /** Keeps the last losses only; the array is longer than what is kept, so this is seldom. */
  private double[] secondHalf() {
    double[] kept = new double[2 * MOST_LOSSES];
    System.arraycopy(losses, count - MOST_LOSSES, kept, 0, MOST_LOSSES);
    count = MOST_LOSSES;
    return kept;
  }

  /** Returns whether other steps were made before this start of the job. */
  boolean hasEarlierTrainers() {
    return !before.isEmpty();
  }

  void recovered(long step, long again, double againSeconds, double seconds) {
    restarts++;
    repeated += again;
    recoveries.add(new Recovery(step, again, againSeconds, seconds, without(before), joined()));
    if (recoveries.size() > MOST_RECOVERIES) {
      recoveries.remove(0);
    }
  }

  private List<String> without(List<String> names) {
    return names.stream().filter(name -> !trainers.contains(name)).toList();
  }

  private List<String> joined() {
    return trainers.stream().filter(name -> !before.contains(name)).toList();
  }

  /** Takes an evaluation; returns whether the training has to end. */
  boolean evaluated(Map<String, Double> found, @Nullable EarlyStopping rule) {
    figures = Map.copyOf(found);
    if (rule == null) {
      return false;
    }
    Double value = found.get(rule.figure());
    if (value == null) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "early stopping needs the figure %s, but evaluate() returned %s"
              .formatted(rule.figure(), found));
    }
    boolean better = Double.isNaN(best) || (rule.higherIsBetter() ? value > best : value < best);
    worse = better ? 0 : worse + 1;
    best = better ? value : best;
    return worse >= rule.patience();
  }

  void stop(boolean now) {
    stopped = now;
  }

  boolean isStopped() {
    return stopped;
  }

  double lastLoss() {
    return last;
  }

  /** Returns the value for a snapshot and the result. */
  TrainingState.Journal toValue() {
    return toValue(Arrays.copyOfRange(losses, Math.max(0, count - MOST_LOSSES), count));
  }

  /** Returns the value without the losses. */
  TrainingState.Journal summary() {
    return toValue(new double[0]);
  }

  private TrainingState.Journal toValue(double[] kept) {
    return new TrainingState.Journal(
        Tensor.of(kept, kept.length),
        trainers,
        restarts,
        repeated,
        List.copyOf(recoveries),
        figures,
        best,
        worse,
        stopped,
        List.copyOf(work.values()));
  }
}
