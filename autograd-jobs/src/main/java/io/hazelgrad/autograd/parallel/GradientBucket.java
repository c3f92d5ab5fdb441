package io.hazelgrad.autograd.parallel;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.collective.Collective;
import io.hazelgrad.grid.collective.Reduction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Parameters of one element type whose gradients are exchanged in one round. A last tensor tells
 * which of them have a gradient at all.
 *
 * <p>Threads: guarded by {@link DataParallel}.
 */
final class GradientBucket {
  private final List<Variable> parameters;
  private final @Nullable Tensor[] gradients;
  private int missing;
  private @Nullable CompletableFuture<List<Tensor>> round;

  GradientBucket(List<Variable> parameters) {
    this.parameters = List.copyOf(parameters);
    this.gradients = new Tensor[parameters.size()];
    this.missing = parameters.size();
  }

  /** Puts parameters into buckets, the last ones first: their gradients are ready first. */
  static List<GradientBucket> of(List<Variable> parameters, int bucketBytes) {
    List<GradientBucket> buckets = new ArrayList<>();
    for (DType type : parameters.stream().map(p -> p.value().dtype()).distinct().toList()) {
      List<Variable> bucket = new ArrayList<>();
      long bytes = 0;
      for (int i = parameters.size() - 1; i >= 0; i--) {
        Variable each = parameters.get(i);
        if (each.value().dtype() == type) {
          bucket.add(each);
          bytes += (long) each.value().size() * type.bytes();
        }
        if (bytes >= bucketBytes || (i == 0 && !bucket.isEmpty())) {
          buckets.add(new GradientBucket(bucket));
          bucket.clear();
          bytes = 0;
        }
      }
    }
    return buckets;
  }

  List<Variable> parameters() {
    return parameters;
  }

  void put(int index, Tensor gradient) {
    if (gradients[index] == null) {
      missing--;
    }
    gradients[index] = gradient;
  }

  /** Takes the gradients of earlier passes for the parameters that got none in this one. */
  void fill() {
    for (int i = 0; i < gradients.length; i++) {
      Tensor earlier = parameters.get(i).grad();
      if (gradients[i] == null && earlier != null) {
        put(i, earlier);
      }
    }
  }

  boolean isComplete() {
    return missing == 0;
  }

  /** Begins the round. */
  void exchange(Collective collective) {
    round = collective.allReduce(tensors(), Reduction.MEAN);
  }

  /** Returns a gradient for each parameter, zeros where there is none, and which are there. */
  List<Tensor> tensors() {
    DType type = parameters.get(0).value().dtype();
    List<Tensor> tensors = new ArrayList<>();
    double[] present = new double[gradients.length];
    for (int i = 0; i < gradients.length; i++) {
      Tensor gradient = gradients[i];
      present[i] = gradient == null ? 0 : 1;
      tensors.add(
          gradient == null ? Tensor.zeros(type, parameters.get(i).value().shape()) : gradient);
    }
    tensors.add(Tensor.of(present, present.length).to(type));
    return tensors;
  }

  /** Waits for the round; returns the mean gradient of each parameter, null if nobody has one. */
  List<@Nullable Tensor> results() {
    CompletableFuture<List<Tensor>> begun = round;
    if (begun == null) {
      throw new IllegalStateException("no round has begun");
    }
    return present(Rpc.await(begun));
  }

  /** Replaces the gradients that nobody has by null, and removes the last tensor. */
  static List<@Nullable Tensor> present(List<Tensor> tensors) {
    int count = tensors.size() - 1;
    Tensor present = tensors.get(count);
    List<@Nullable Tensor> results = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      results.add(present.storage().getDouble(i) > 0 ? tensors.get(i) : null);
    }
    return results;
  }

  void reset() {
    Arrays.fill(gradients, null);
    missing = gradients.length;
    round = null;
  }
}
