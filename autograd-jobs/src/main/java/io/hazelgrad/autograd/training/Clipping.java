package io.hazelgrad.autograd.training;

import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Catalogue;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.function.IntFunction;

/**
 * Clipping of gradients by their global norm, as {@code torch.nn.utils.clip_grad_norm_} does it:
 * the norm of all gradients together is that of the norms of each.
 */
final class Clipping {
  /** Stands for a parameter without a gradient. */
  static final double NONE = -1;

  private static final double EPSILON = 1e-6;

  private Clipping() {}

  /** Returns the root of the sum of the squares of all elements, summed as doubles. */
  static double norm(Tensor gradient) {
    if (!gradient.device().isOfHost()) {
      return normOnDevice(gradient.to(DType.FLOAT64));
    }
    double sum = 0;
    if (gradient.dtype() == DType.FLOAT64) {
      for (double each : (double[]) gradient.storage().array()) {
        sum += each * each;
      }
    } else {
      for (double each : (float[]) gradient.to(DType.FLOAT32).storage().array()) {
        sum += each * each;
      }
    }
    return Math.sqrt(sum);
  }

  private static double normOnDevice(Tensor gradient) {
    Backend backend = Catalogue.backend(gradient.device());
    Tensor flat = gradient.reshape(gradient.size());
    Tensor squares = backend.binary(Backend.Binary.MUL, flat, flat);
    return Math.sqrt(backend.reduce(Backend.Reduction.SUM, squares, 0).item());
  }

  /**
   * Returns the norm of all gradients. The norms are in the order of the parameters, not of owners.
   *
   * @param name gives the name of a parameter, for errors
   * @throws GridException BAD_ARGUMENT if a norm is NaN or infinite: to clip would make every
   *     parameter NaN, or leave it without a step
   */
  static double total(double[] norms, IntFunction<String> name) {
    double sum = 0;
    for (int i = 0; i < norms.length; i++) {
      if (!Double.isFinite(norms[i])) {
        throw new GridException(
            Status.BAD_ARGUMENT,
            "the gradient of %s has the norm %s; no parameter was changed"
                .formatted(name.apply(i), norms[i]));
      }
      sum += norms[i] == NONE ? 0 : norms[i] * norms[i];
    }
    return Math.sqrt(sum);
  }

  /** Returns what gradients with this norm are multiplied by; at most 1. */
  static double scale(double norm, double maxNorm) {
    return Math.min(1, maxNorm / (norm + EPSILON));
  }
}
