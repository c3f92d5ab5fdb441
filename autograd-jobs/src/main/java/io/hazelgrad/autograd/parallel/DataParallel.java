package io.hazelgrad.autograd.parallel;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.autograd.parallel.StepTimes.Part;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.collective.Collective;
import io.hazelgrad.grid.collective.Reduction;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Trains copies of a model on several workers: each worker computes the gradients of its rows, and
 * all make their optimizer's step with the mean of all gradients. The parameters have the same bits
 * on all workers after each step.
 *
 * <pre>{@code
 * try (Collective trainers = Collectives.on(grid).join("trainers", names);
 *     DataParallel parallel = DataParallel.of(trainers, model)) {
 *   LocalOptimizer optimizer = LocalOptimizer.of(Adam.defaults(), model.parameters());
 *   for (Batch batch : batchesOfThisWorker) {
 *     parallel.backward(model.forward(batch.x()).crossEntropy(batch.y()));
 *     optimizer.step(parallel::gradient);
 *     parallel.zeroGrad();
 *   }
 * }
 * }</pre>
 *
 * <p>The gradients travel in buckets. A bucket leaves when its last gradient is ready, while the
 * backward pass goes on. A parameter that a worker's rows do not use counts as zero there; one that
 * no worker uses has no gradient. Buffers, such as running statistics, are those of the first
 * worker after each exchange.
 *
 * <p><b>Accumulation.</b> Gradients of {@code loss.backward()} stay on the worker. The next {@link
 * #backward(Variable)} exchanges the sums.
 *
 * <p><b>Uneven rows.</b> If the workers have different numbers of rows, as in a last batch that
 * does not divide, all call {@link #backward(Variable, long)} or {@link #skip()}: then every row
 * has the same weight.
 *
 * <p><b>Deterministic mode.</b> With {@link DataParallelOptions#shards()} a global batch is cut
 * into a fixed number of shards. Their gradients are summed in the order of the shards, so any
 * number of workers ends with the same bits. All call {@link #backwardShards}.
 *
 * <p>All workers call the same methods in the same order. An exchange that fails at one worker ends
 * the collective at all of them; see {@link Collective}. Threads: one at a time.
 */
public final class DataParallel implements AutoCloseable {
  private final Collective collective;
  private final Module<?, ?> model;
  private final List<GradientBucket> buckets;
  private final ShardExchange shards;
  private final List<Variable.Hook> hooks = new ArrayList<>();
  private final IdentityHashMap<Variable, @Nullable Tensor> means = new IdentityHashMap<>();

  /** True while the hooks see a pass whose gradients are exchanged. */
  private boolean exchanging;

  private final StepTimes times;

  /** Whether an exchange ends a step; else the program says when. */
  private final boolean endsSteps;

  /** The number of buckets that have left; all workers send them in the same order. */
  private int left;

  private DataParallel(
      Collective collective,
      Module<?, ?> model,
      DataParallelOptions options,
      StepTimes times,
      boolean endsSteps) {
    this.collective = collective;
    this.model = model;
    this.times = times;
    this.endsSteps = endsSteps;
    List<Variable> parameters = model.parameters();
    if (parameters.isEmpty()) {
      throw bad("a model without parameters cannot be trained");
    }
    if (options.shards() != 0 && options.shards() < collective.size()) {
      throw bad(
          "shards=%s are fewer than the %s workers".formatted(options.shards(), collective.size()));
    }
    this.buckets = GradientBucket.of(parameters, options.bucketBytes());
    this.shards = new ShardExchange(collective, model, buckets, options.shards());
  }

  /** Does the same with the default options. */
  public static DataParallel of(Collective collective, Module<?, ?> model) {
    return of(collective, model, DataParallelOptions.defaults());
  }

  /**
   * Begins training. All workers take the parameters and buffers of the first one.
   *
   * @param collective the workers; it stays the caller's to close
   * @param model this worker's copy of the model
   * @throws GridException BAD_ARGUMENT if the model has no parameters, differs from that of another
   *     worker, or the shards do not suffice; what {@link Collective#broadcast} throws
   */
  public static DataParallel of(
      Collective collective, Module<?, ?> model, DataParallelOptions options) {
    return begin(new DataParallel(collective, model, options, StepTimes.ofLoop(collective), true));
  }

  /**
   * Begins training as {@link #of(Collective, Module, DataParallelOptions)}.
   *
   * @param times the times of the steps, which the program ends; this class measures backward
   *     passes and exchanges
   */
  public static DataParallel of(
      Collective collective, Module<?, ?> model, DataParallelOptions options, StepTimes times) {
    return begin(new DataParallel(collective, model, options, times, false));
  }

  private static DataParallel begin(DataParallel parallel) {
    parallel.takeStateOfFirst(parallel.model.state());
    parallel.hookParameters();
    return parallel;
  }

  private void takeStateOfFirst(Map<String, Tensor> state) {
    if (!state.isEmpty()) {
      List<Tensor> values = Rpc.await(collective.broadcast(List.copyOf(state.values()), 0));
      Map<String, Tensor> taken = new LinkedHashMap<>();
      state.keySet().forEach(name -> taken.put(name, values.get(taken.size())));
      model.loadSome(taken);
    }
  }

  private void hookParameters() {
    for (GradientBucket bucket : buckets) {
      for (int i = 0; i < bucket.parameters().size(); i++) {
        int index = i;
        Variable parameter = bucket.parameters().get(i);
        hooks.add(
            parameter.hook(
                gradient -> {
                  if (exchanging) {
                    bucket.put(index, sum(parameter.grad(), gradient));
                    sendComplete();
                  }
                  return gradient;
                }));
      }
    }
  }

  private static Tensor sum(@Nullable Tensor earlier, Tensor more) {
    return earlier == null ? more : Variable.of(earlier).add(Variable.of(more)).value();
  }

  private void sendComplete() {
    while (left < buckets.size() && buckets.get(left).isComplete()) {
      buckets.get(left++).exchange(collective);
    }
  }

  /**
   * Differentiates this worker's loss and exchanges the gradients. The losses of all workers count
   * the same.
   *
   * @param loss a scalar, the mean over this worker's rows
   * @throws GridException what {@link Variable#backward()} and {@link Collective#allReduce} throw
   */
  public void backward(Variable loss) {
    begin();
    exchanging = true;
    try {
      times.run(Part.BACKWARD, loss::backward);
    } finally {
      exchanging = false;
    }
    finish();
  }

  /**
   * Differentiates this worker's loss and exchanges the gradients. Each row of all workers counts
   * the same. Costs one more small round than {@link #backward(Variable)}.
   *
   * @param loss a scalar, the mean over this worker's rows
   * @param rows the number of this worker's rows, at least 1
   */
  public void backward(Variable loss, long rows) {
    if (rows < 1) {
      throw bad("rows=" + rows + ", but a loss has at least one row; use skip() without rows");
    }
    double weight = (double) rows * collective.size() / allRows(rows);
    DType type = loss.value().dtype();
    backward(weight == 1 ? loss : loss.mul(Variable.of(Tensor.full(type, weight))));
  }

  /**
   * Takes part in {@link #backward(Variable, long)} of the other workers without rows. If no worker
   * has rows, there are no gradients.
   */
  public void skip() {
    if (allRows(0) == 0) {
      means.clear();
    } else {
      exchange();
    }
  }

  private long allRows(long rows) {
    Tensor own = Tensor.of(new long[] {rows}, 1);
    Tensor all =
        times.call(Part.TRANSFER, () -> Rpc.await(collective.allReduce(own, Reduction.SUM)));
    return all.toLongs()[0];
  }

  /** Exchanges the gradients that earlier passes have added up in {@link Variable#grad()}. */
  public void exchange() {
    begin();
    finish();
  }

  private void begin() {
    means.clear();
    left = 0;
    buckets.forEach(GradientBucket::reset);
  }

  /** Sends the buckets that are left, and waits for all. */
  private void finish() {
    times.run(
        Part.TRANSFER,
        () -> {
          for (; left < buckets.size(); left++) {
            buckets.get(left).fill();
            buckets.get(left).exchange(collective);
          }
          for (GradientBucket bucket : buckets) {
            takeMeans(bucket, bucket.results());
            bucket.reset();
          }
          takeStateOfFirst(model.buffers());
        });
    endStep();
  }

  private void endStep() {
    if (endsSteps) {
      times.endStep(0);
    }
  }

  private void takeMeans(GradientBucket bucket, List<@Nullable Tensor> results) {
    for (int i = 0; i < results.size(); i++) {
      means.put(bucket.parameters().get(i), results.get(i));
    }
  }

  // ---- Deterministic mode ----

  /**
   * The loss of a shard.
   *
   * @param loss a scalar, the mean over the shard's rows
   * @param rows the number of rows
   */
  public record ShardLoss(Variable loss, long rows) {}

  /** Returns the numbers of the shards that this worker computes, in order. */
  public List<Integer> shards() {
    return shards.own();
  }

  /**
   * Differentiates the losses of this worker's {@link #shards()} and exchanges the gradients. Each
   * row counts the same. Each worker receives the gradients of all shards, so this costs more than
   * {@link #backward(Variable)}.
   *
   * @param losses returns the loss of a shard, or null if it has no rows
   * @throws GridException BAD_ARGUMENT without shards in the options
   */
  public void backwardShards(IntFunction<@Nullable ShardLoss> losses) {
    if (shards.count() == 0) {
      throw bad("deterministic mode needs the option shards");
    }
    begin();
    // With the forward passes, unless the program measures them.
    ShardExchange.Own own = times.call(Part.BACKWARD, () -> shards.differentiate(losses));
    times.run(
        Part.TRANSFER,
        () -> {
          shards.exchange(own).forEach(sum -> takeMeans(sum.bucket, sum.mean()));
          takeStateOfFirst(model.buffers());
        });
    endStep();
  }

  // ---- Results ----

  /**
   * Returns the mean gradient of a parameter after the last exchange; null if no worker had one.
   * For {@code optimizer.step(parallel::gradient)}.
   */
  public @Nullable Tensor gradient(Variable parameter) {
    return means.get(parameter);
  }

  /** Forgets the gradients of this worker and the exchanged ones. */
  public void zeroGrad() {
    model.zeroGrad();
    means.clear();
  }

  /**
   * Checks that all workers have the same parameters, bit by bit. Costs a look at each element and
   * one small round.
   *
   * @throws GridException INTERNAL with the names of parameters and workers that differ
   */
  public void requireIdentical() {
    Map<String, Variable> named = model.namedParameters();
    int[] hashes = named.values().stream().mapToInt(each -> each.value().hashCode()).toArray();
    List<Tensor> all = Rpc.await(collective.allGather(Tensor.of(hashes, hashes.length)));
    List<String> different = new ArrayList<>();
    List<String> names = List.copyOf(named.keySet());
    long[] first = all.get(0).toLongs();
    for (int rank = 1; rank < all.size(); rank++) {
      long[] other = all.get(rank).toLongs();
      for (int i = 0; i < other.length; i++) {
        if (other[i] != first[i]) {
          different.add(names.get(i) + " of worker " + collective.members().get(rank).name());
        }
      }
    }
    if (!different.isEmpty()) {
      throw new GridException(
          Status.INTERNAL,
          "parameters differ from those of worker %s: %s"
              .formatted(collective.members().get(0).name(), different));
    }
  }

  /** Ends training; the model, its parameters and the collective stay as they are. */
  @Override
  public void close() {
    hooks.forEach(Variable.Hook::close);
    hooks.clear();
    means.clear();
  }

  private static GridException bad(String message) {
    return new GridException(Status.BAD_ARGUMENT, message);
  }
}
