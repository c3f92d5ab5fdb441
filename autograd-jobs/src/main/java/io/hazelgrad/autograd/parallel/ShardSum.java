package io.hazelgrad.autograd.parallel;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The gradients of a bucket, summed over shards in their order. */
final class ShardSum {
  final GradientBucket bucket;
  private final List<@Nullable Tensor> sums;
  private long rows;

  ShardSum(GradientBucket bucket) {
    this.bucket = bucket;
    this.sums = new ArrayList<>(Collections.nCopies(bucket.parameters().size(), null));
  }

  /**
   * Adds the gradients of the next shard.
   *
   * @param tensors those of {@link GradientBucket#tensors()}: means over the shard's rows
   * @param count the number of its rows
   */
  void add(List<Tensor> tensors, long count) {
    List<@Nullable Tensor> present = GradientBucket.present(tensors);
    rows += count;
    for (int i = 0; i < present.size(); i++) {
      Tensor gradient = present.get(i);
      if (gradient != null) {
        Variable more = times(gradient, (double) count);
        Tensor sum = sums.get(i);
        sums.set(i, sum == null ? more.value() : Variable.of(sum).add(more).value());
      }
    }
  }

  /** Returns the mean gradients over the rows of all shards, null where there is none. */
  List<@Nullable Tensor> mean() {
    List<@Nullable Tensor> means = new ArrayList<>();
    for (Tensor sum : sums) {
      means.add(sum == null ? null : times(sum, 1.0 / rows).value());
    }
    return means;
  }

  private static Variable times(Tensor tensor, double factor) {
    return Variable.of(tensor).mul(Variable.of(Tensor.full(tensor.dtype(), factor)));
  }
}
