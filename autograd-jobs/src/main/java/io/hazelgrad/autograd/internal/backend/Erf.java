package io.hazelgrad.autograd.internal.backend;

/**
 * The error function, 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x.
 *
 * <p>It is computed by Taylor series about the multiples of 1/8, whose coefficients are worked out
 * once: erf itself by the series 2 / sqrt(pi) e^(-x^2) sum of 2^n x^(2n+1) / (1 * 3 * .. * (2n+1)),
 * whose terms are all positive, and the derivatives by the recurrence of the Hermite polynomials,
 * H(n+1) = 2x H(n) - 2n H(n-1) (Abramowitz and Stegun 7.1.6, 7.1.19, 22.7.13). The first term that
 * is left out is below 10^-17.
 */
final class Erf {
  /** From here on the result is 1 in double precision. */
  private static final double LIMIT = 6;

  private static final int STEPS = 8;
  private static final int TERMS = 13;
  private static final double[][] COEFFICIENTS = coefficients();

  private Erf() {}

  static double of(double x) {
    double magnitude = Math.abs(x);
    if (!(magnitude < LIMIT)) {
      return Double.isNaN(x) ? x : Math.signum(x);
    }
    int at = (int) (magnitude * STEPS + 0.5);
    double[] c = COEFFICIENTS[at];
    double h = magnitude - (double) at / STEPS;
    double sum = c[TERMS - 1];
    for (int i = TERMS - 2; i >= 0; i--) {
      sum = sum * h + c[i];
    }
    return Math.copySign(sum, x);
  }

  private static double[][] coefficients() {
    double[][] all = new double[(int) (LIMIT * STEPS) + 1][TERMS];
    for (int at = 0; at < all.length; at++) {
      double x = (double) at / STEPS;
      double density = 2 / Math.sqrt(Math.PI) * Math.exp(-x * x);
      all[at][0] = density * series(x);
      double hermite = 1;
      double before = 0;
      double scale = density; // (-1)^n density / (n + 1)!
      for (int n = 0; n < TERMS - 1; n++) {
        all[at][n + 1] = scale * hermite;
        double next = 2 * x * hermite - 2 * n * before;
        before = hermite;
        hermite = next;
        scale /= -(n + 2);
      }
    }
    return all;
  }

  private static double series(double x) {
    double sum = 0;
    double term = x;
    for (int n = 0; term > sum * 1e-18; n++) {
      sum += term;
      term *= 2 * x * x / (2 * n + 3);
    }
    return sum;
  }
}
