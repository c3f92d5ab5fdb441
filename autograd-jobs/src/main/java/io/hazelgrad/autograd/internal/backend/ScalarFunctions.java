package io.hazelgrad.autograd.internal.backend;

import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Backend.Binary;
import io.hazelgrad.autograd.ops.Backend.Reduction;
import io.hazelgrad.autograd.ops.Backend.Unary;
import java.util.Arrays;

/** The functions of {@link Backend} on one number. The loops have the simplest of them inline. */
final class ScalarFunctions {
  private ScalarFunctions() {}

  static double apply(Unary function, double x) {
    return switch (function) {
      case NEG -> -x;
      case ABS -> Math.abs(x);
      case SIGN -> x > 0 ? 1 : x < 0 ? -1 : 0;
      case RELU -> Math.max(x, 0);
      case FLOOR -> Math.floor(x);
      case SQRT -> Math.sqrt(x);
      case EXP -> Math.exp(x);
      case EXPM1 -> Math.expm1(x);
      case LOG -> Math.log(x);
      case LOG1P -> Math.log1p(x);
      case SIN -> Math.sin(x);
      case COS -> Math.cos(x);
      case TANH -> tanh(x);
      case SIGMOID -> sigmoid(x);
      case LOG_SIGMOID -> logSigmoid(x);
      case ERF -> Erf.of(x);
    };
  }

  static double apply(Binary function, double a, double b) {
    return switch (function) {
      case ADD -> a + b;
      case SUB -> a - b;
      case MUL -> a * b;
      case DIV -> a / b;
      case MAX -> Math.max(a, b);
      case MIN -> Math.min(a, b);
      case POW -> pow(a, b);
      case EQUAL -> a == b ? 1 : 0;
      case LESS -> a < b ? 1 : 0;
      case LESS_EQUAL -> a <= b ? 1 : 0;
      case TANH_GRADIENT -> a * (1 - b * b);
      case SIGMOID_GRADIENT -> a * b * (1 - b);
      // Asked this way round, a NaN lets the gradient through, as in torch.
      case RELU_GRADIENT -> b <= 0 ? 0 : a;
    };
  }

  static double fold(Reduction reduction, double a, double b) {
    return switch (reduction) {
      case SUM -> a + b;
      case PROD -> a * b;
      case MAX -> Math.max(a, b);
      case MIN -> Math.min(a, b);
    };
  }

  /** Returns {@code length} results of reducing nothing. */
  static double[] accumulators(Reduction reduction, int length) {
    double[] accumulators = new double[length];
    switch (reduction) {
      case SUM -> {}
      case PROD -> Arrays.fill(accumulators, 1);
      case MAX -> Arrays.fill(accumulators, Double.NEGATIVE_INFINITY);
      case MIN -> Arrays.fill(accumulators, Double.POSITIVE_INFINITY);
    }
    return accumulators;
  }

  /** Returns tanh x. The JDK's is several times slower than its exp, which does for large x. */
  static double tanh(double x) {
    double magnitude = Math.abs(x);
    if (magnitude < 0.1) {
      return Math.tanh(x); // The formula below would lose digits here.
    }
    double e = Math.exp(-2 * magnitude);
    return Math.copySign((1 - e) / (1 + e), x);
  }

  /** Returns 1 / (1 + e^-x), without overflow on either side. */
  static double sigmoid(double x) {
    // No branch: on random signs the processor would guess wrong half of the time.
    double e = Math.exp(-Math.abs(x));
    return (x >= 0 ? 1 : e) / (1 + e);
  }

  /** Returns the logarithm of the sigmoid, exact also where that is 0 or 1. */
  static double logSigmoid(double x) {
    return Math.min(x, 0) - Math.log1p(Math.exp(-Math.abs(x)));
  }

  /** Returns a to the b as C defines it: 1 to anything is 1, and -1 to an infinity too. */
  static double pow(double a, double b) {
    return a == 1 || (a == -1 && Double.isInfinite(b)) ? 1 : Math.pow(a, b);
  }

  /** Returns a to the b modulo 2^64; for a negative b the reciprocal cut to an integer. */
  static long pow(long a, long b) {
    if (b < 0) {
      return a == 1 ? 1 : a == -1 ? ((b & 1) == 0 ? 1 : -1) : 0;
    }
    long result = 1;
    long square = a;
    for (long rest = b; rest > 0; rest >>= 1) {
      if ((rest & 1) == 1) {
        result *= square;
      }
      square *= square;
    }
    return result;
  }
}
