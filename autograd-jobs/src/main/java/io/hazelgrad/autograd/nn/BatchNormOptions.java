package io.hazelgrad.autograd.nn;

import io.hazelgrad.grid.RemoteValue;
import org.jspecify.annotations.Nullable;

/**
 * The options of a batch normalisation.
 *
 * @param eps a number added to the variance
 * @param momentum the weight of a batch in the running statistics; null for equal weights of all
 * @param affine whether there are weight and bias
 * @param tracked whether there are running statistics; without them, evaluation uses the batch, too
 */
@RemoteValue
public record BatchNormOptions(
    double eps, @Nullable Double momentum, boolean affine, boolean tracked) {
  /** Checks the numbers: BAD_ARGUMENT. */
  public BatchNormOptions {
    if (!(eps >= 0)) {
      throw Module.bad("eps=" + eps + " must not be negative");
    }
    if (momentum != null) {
      Module.probability("momentum", momentum);
    }
  }

  /** Returns eps 1e-5, momentum 0.1, with weight and bias and running statistics. */
  public static BatchNormOptions defaults() {
    return new BatchNormOptions(1e-5, 0.1, true, true);
  }

  /** Returns the same with another eps. */
  public BatchNormOptions withEps(double newEps) {
    return new BatchNormOptions(newEps, momentum, affine, tracked);
  }

  /** Returns the same with another momentum. */
  public BatchNormOptions withMomentum(double newMomentum) {
    return new BatchNormOptions(eps, newMomentum, affine, tracked);
  }

  /** Returns the same with running statistics that are the mean over all batches. */
  public BatchNormOptions withCumulativeMean() {
    return new BatchNormOptions(eps, null, affine, tracked);
  }

  /** Returns the same with or without weight and bias. */
  public BatchNormOptions withAffine(boolean newAffine) {
    return new BatchNormOptions(eps, momentum, newAffine, tracked);
  }

  /** Returns the same with or without running statistics. */
  public BatchNormOptions withTracked(boolean newTracked) {
    return new BatchNormOptions(eps, momentum, affine, newTracked);
  }
}
