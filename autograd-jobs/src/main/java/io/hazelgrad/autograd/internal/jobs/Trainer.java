package io.hazelgrad.autograd.internal.jobs;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.jobs.TrainingOptions;
import io.hazelgrad.autograd.jobs.TrainingProgram;
import io.hazelgrad.autograd.jobs.TrainingStep;
import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.autograd.parallel.DataParallel;
import io.hazelgrad.autograd.parallel.DataParallel.ShardLoss;
import io.hazelgrad.autograd.parallel.DataParallelOptions;
import io.hazelgrad.autograd.parallel.StepTimes;
import io.hazelgrad.autograd.parallel.StepTimes.Part;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.collective.Collective;
import io.hazelgrad.grid.collective.CollectiveOptions;
import io.hazelgrad.grid.collective.Collectives;
import io.hazelgrad.grid.collective.Reduction;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One worker's part of a training: makes the steps that it is told, together with the other
 * trainers, all of which have the same state between two steps. Not safe for several threads.
 *
 * @param <M> the model
 * @param <R> a row
 */
final class Trainer<M extends Module<?, ?>, R> implements AutoCloseable {
  private final TrainingTask task;
  private final TrainingOptions options;
  private final TrainingProgram<M, R> program;
  private final LocalRun run;
  private final Collective collective;
  private final M model;
  private final LocalOptimizer optimizer;
  private final DataParallel parallel;
  private final TrainingJournal journal;
  private final StepTimes times;

  /** The number of parts of a batch: shards, or one for each trainer. */
  private final int parts;

  /** The sum of the losses of each part's rows that this trainer computes. */
  private final double[] sums;

  private long step;
  private long bytes;
  private boolean first = true;

  private Trainer(
      TrainingTask task,
      TrainingProgram<M, R> program,
      LocalRun run,
      Collective collective,
      @Nullable TrainingState restored) {
    this.task = task;
    this.options = task.options();
    this.program = program;
    this.run = run;
    this.collective = collective;
    this.model = program.model();
    this.optimizer = program.optimizer(model);
    load(restored);
    this.times = new StepTimes(collective, task.name(), step, Part.IDLE);
    this.parallel =
        DataParallel.of(
            collective, model, DataParallelOptions.defaults().withShards(options.shards()), times);
    this.parts = options.shards() == 0 ? collective.size() : options.shards();
    this.sums = new double[parts];
    this.journal =
        new TrainingJournal(
            restored == null ? TrainingState.Journal.empty() : restored.journal(),
            collective.members(),
            pids());
  }

  /**
   * Begins, and waits until all trainers do.
   *
   * @param round a number that only this start of the job has
   * @param trainers the names of all trainers
   * @param restored the state of the snapshot, null if there is none
   */
  @SuppressWarnings("unchecked") // The rows come from the program itself.
  static Trainer<?, ?> begin(
      Grid grid,
      TrainingTask task,
      LocalRun run,
      long round,
      List<String> trainers,
      @Nullable TrainingState restored) {
    Collective collective =
        Collectives.on(grid)
            .join(
                "training %s %x".formatted(task.name(), round),
                trainers,
                CollectiveOptions.defaults().withTimeout(task.options().stepTimeout()));
    try {
      var program = (TrainingProgram<Module<?, ?>, Object>) task.program();
      return new Trainer<>(task, program, run, collective, restored);
    } catch (Throwable e) {
      collective.close();
      throw e;
    }
  }

  private void load(@Nullable TrainingState restored) {
    StartState start = task.start();
    if (restored != null) {
      model.load(restored.model());
      optimizer.restore(restored.optimizer());
      step = restored.step();
    } else if (start != null) {
      start.load(model, optimizer);
      step = start.step();
    }
  }

  private List<Long> pids() {
    Tensor own = Tensor.of(new long[] {ProcessHandle.current().pid()}, 1);
    return Rpc.await(collective.allGather(own)).stream().map(pid -> pid.toLongs()[0]).toList();
  }

  boolean isFirst() {
    return collective.rank() == 0;
  }

  /** Returns the number of steps that are made. */
  long made() {
    return step;
  }

  StepTimes times() {
    return times;
  }

  TrainingJournal journal() {
    return journal;
  }

  /**
   * Makes a step; does nothing if training has ended early, as the sequencer learns that later.
   *
   * @param description the step, the next one
   * @param rows the rows of the whole batch, of which this reads those of its parts
   */
  void step(TrainingStep description, List<R> rows) {
    if (journal.isStopped()) {
      run.stop();
      return;
    }
    if (description.number() != step) {
      throw new IllegalStateException(
          "step %d was dealt, but step %d is next".formatted(description.number(), step));
    }
    differentiate(rows);
    times.run(Part.UPDATE, () -> update(description));
    times.run(Part.TRANSFER, () -> exchangeLosses(rows.size()));
    times.endStep(rows.size());
    step++;
    if (first) {
      first = false;
      noteRecovery();
    }
    evaluateIfDue();
    run.made(step);
    if (journal.isStopped()) {
      run.stop();
    }
  }

  private void update(TrainingStep description) {
    optimizer.step(parallel::gradient);
    parallel.zeroGrad();
    program.afterStep(description, optimizer);
  }

  private void differentiate(List<R> rows) {
    if (options.shards() > 0) {
      parallel.backwardShards(
          shard -> {
            List<R> own = part(rows, shard);
            return own.isEmpty() ? null : new ShardLoss(loss(own, shard), own.size());
          });
      return;
    }
    List<R> own = part(rows, collective.rank());
    if (own.isEmpty()) {
      parallel.exchange();
    } else {
      // The mean over the trainers of these is the mean over all rows.
      double weight = (double) own.size() * parts / rows.size();
      Variable loss = loss(own, collective.rank());
      DType type = loss.value().dtype();
      parallel.backward(weight == 1 ? loss : loss.mul(Variable.of(Tensor.full(type, weight))));
    }
  }

  private List<R> part(List<R> rows, int part) {
    long size = rows.size();
    List<R> own = rows.subList((int) (part * size / parts), (int) ((part + 1) * size / parts));
    return times.call(Part.DATA, () -> List.copyOf(own)); // Reads them.
  }

  private Variable loss(List<R> rows, int part) {
    return times.call(
        Part.FORWARD,
        () -> {
          model.seekRandom(step * parts + part);
          Variable loss = program.loss(model, rows);
          sums[part] = loss.value().item() * rows.size();
          return loss;
        });
  }

  /** Adds up the losses in the order of the parts, so that their sum has the same bits always. */
  private void exchangeLosses(int rows) {
    double[] own = new double[parts + 2 * collective.size()];
    long rowsHere = 0;
    for (int part = 0; part < parts; part++) {
      own[part] = sums[part];
      sums[part] = 0;
      if (isOwn(part)) {
        rowsHere += (long) (part + 1) * rows / parts - (long) part * rows / parts;
      }
    }
    own[parts + collective.rank()] = rowsHere;
    own[parts + collective.size() + collective.rank()] = collective.bytesSent() - bytes;
    bytes = collective.bytesSent();
    Tensor all = Rpc.await(collective.allReduce(Tensor.of(own, own.length), Reduction.SUM));
    double sum = 0;
    for (int part = 0; part < parts; part++) {
      sum += all.storage().getDouble(part);
    }
    journal.add(sum / rows, all, parts);
    if (!Double.isFinite(sum)) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "the loss of step %d is %s; a smaller learning rate may help".formatted(step, sum));
    }
  }

  private boolean isOwn(int part) {
    return options.shards() == 0 ? part == collective.rank() : parallel.shards().contains(part);
  }

  /** Tells all trainers how far the training had been, which only those before know. */
  private void noteRecovery() {
    long restored = step - 1;
    Tensor known = Tensor.of(run.before(restored), 3);
    double[] most = Rpc.await(collective.allReduce(known, Reduction.MAX)).toDoubles();
    long last = (long) most[0];
    if (journal.hasEarlierTrainers() || last > restored) {
      journal.recovered(restored, Math.max(0, last - restored), most[2] / 1e3, most[1] / 1e3);
    }
  }

  private void evaluateIfDue() {
    int every = options.evaluateEvery();
    if (every == 0 || step % every != 0) {
      return;
    }
    double stop = 0;
    if (isFirst()) {
      model.eval();
      try {
        stop = journal.evaluated(program.evaluate(model), options.earlyStopping()) ? 1 : 0;
      } finally {
        model.train();
      }
    }
    if (options.earlyStopping() != null) {
      Tensor all = Rpc.await(collective.broadcast(List.of(Tensor.scalar(stop)), 0)).get(0);
      journal.stop(all.item() > 0);
    }
  }

  /** Returns the state after the last step. */
  TrainingState state() {
    Map<String, Tensor> values = model.state();
    return new TrainingState(
        step,
        values,
        List.copyOf(model.namedParameters().keySet()),
        optimizer.state(),
        journal.toValue());
  }

  @Override
  public void close() {
    parallel.close();
    collective.close();
  }
}
