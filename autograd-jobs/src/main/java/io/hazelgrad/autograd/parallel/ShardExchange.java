package io.hazelgrad.autograd.parallel;

import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.autograd.parallel.DataParallel.ShardLoss;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.collective.Collective;
import io.hazelgrad.grid.collective.Reduction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Exchanges the gradients of shards. Each worker gives those of its shards to all, and all sum them
 * in the order of the shards.
 *
 * @param count the number of shards of all workers; 0 without deterministic mode
 */
record ShardExchange(
    Collective collective, Module<?, ?> model, List<GradientBucket> buckets, int count) {
  /** Returns the numbers of the shards that this worker computes, in order. */
  List<Integer> own() {
    return IntStream.range(0, count)
        .filter(shard -> workerOf(shard) == collective.rank())
        .boxed()
        .toList();
  }

  private int workerOf(int shard) {
    return (int) ((long) shard * collective.size() / count);
  }

  /**
   * The rows and gradients that this worker gives to the others.
   *
   * @param rows the number of rows of each shard; 0 for those of other workers
   * @param gradients the tensors that each bucket sends, by the number of the shard
   */
  record Own(Tensor rows, Map<Integer, List<List<Tensor>>> gradients) {}

  /** Differentiates the losses of this worker's shards. */
  Own differentiate(IntFunction<@Nullable ShardLoss> losses) {
    long[] rows = new long[count];
    Map<Integer, List<List<Tensor>>> own = new HashMap<>();
    for (int shard : own()) {
      ShardLoss loss = losses.apply(shard);
      rows[shard] = loss == null ? 0 : loss.rows();
      own.put(shard, gradients(loss));
    }
    return new Own(Tensor.of(rows, count), own);
  }

  /** Returns the sums over all workers, by bucket. */
  List<ShardSum> exchange(Own own) {
    Tensor all = Rpc.await(collective.allReduce(own.rows, Reduction.SUM));
    List<ShardSum> sums = buckets.stream().map(ShardSum::new).toList();
    for (int shard = 0; shard < count; shard++) {
      List<List<Tensor>> given = own.gradients.get(shard);
      for (int i = 0; i < buckets.size(); i++) {
        // What the other workers give is not read, but has the right shapes.
        List<Tensor> tensors = given == null ? buckets.get(i).tensors() : given.get(i);
        List<Tensor> gradients = Rpc.await(collective.broadcast(tensors, workerOf(shard)));
        sums.get(i).add(gradients, all.storage().getLong(shard));
      }
    }
    return sums;
  }

  /** Returns the tensors that each bucket sends for the gradients of one shard. */
  private List<List<Tensor>> gradients(@Nullable ShardLoss loss) {
    model.zeroGrad();
    if (loss != null) {
      loss.loss().backward();
    }
    List<List<Tensor>> all = new ArrayList<>();
    for (GradientBucket bucket : buckets) {
      bucket.fill();
      all.add(bucket.tensors());
      bucket.reset();
    }
    model.zeroGrad();
    return all;
  }
}
