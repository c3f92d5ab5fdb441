package io.hazelgrad.autograd.internal.backend;

import io.hazelgrad.autograd.ops.FusedKernels;
import io.hazelgrad.grid.Tensor;

/**
 * The fused layers of FLOAT32. Sums of rows are collected in double precision.
 *
 * <p>Loops over parts of rows copy the part to an array of its own where their arrays would have
 * different indices: see {@link Kernels}.
 */
final class FloatLayers implements FusedKernels {
  /** The elements that pass through all steps of a softmax before the next ones. */
  private static final int CHUNK = 4096;

  private static float[] array(Tensor tensor) {
    return (float[]) tensor.storage().array();
  }

  @Override
  public Tensor gelu(Tensor x) {
    float[] out = new float[x.size()];
    FloatMath.gelu(array(x), out);
    return Tensor.wrap(out, x.shape());
  }

  @Override
  public Tensor geluGradient(Tensor gradient, Tensor x) {
    float[] out = new float[x.size()];
    FloatMath.geluGradient(array(gradient), array(x), out);
    return Tensor.wrap(out, x.shape());
  }

  @Override
  public Tensor softmax(Tensor x, double scale, boolean causal) {
    int columns = (int) x.shape(-1);
    int matrixRows = x.rank() < 2 ? 1 : (int) x.shape(-2);
    float[] in = array(x);
    float[] out = new float[in.length];
    FloatMath.Scratch scratch = new FloatMath.Scratch();
    int chunk = Math.max(1, CHUNK / columns) * columns;
    for (int start = 0; start < out.length; start += chunk) {
      int end = Math.min(out.length, start + chunk);
      for (int at = start; at < end; at += columns) {
        int seen = causal ? Math.min(columns, at / columns % matrixRows + 1) : columns;
        shift(in, out, at, at + seen, (float) scale);
      }
      FloatMath.exp(out, out, start, end - start, scratch);
      for (int at = start; at < end; at += columns) {
        int seen = causal ? Math.min(columns, at / columns % matrixRows + 1) : columns;
        scale(out, at, at + columns, (float) (1 / sum(out, at, at + seen)));
        for (int i = at + seen; i < at + columns; i++) {
          out[i] = 0;
        }
      }
    }
    return Tensor.wrap(out, x.shape());
  }

  /** Subtracts the greatest element, so that no power overflows. */
  private static void shift(float[] in, float[] out, int from, int to, float scale) {
    float max = Float.NEGATIVE_INFINITY;
    for (int i = from; i < to; i++) {
      max = Math.max(max, in[i]);
    }
    for (int i = from; i < to; i++) {
      out[i] = (in[i] - max) * scale;
    }
  }

  private static double sum(float[] x, int from, int to) {
    double sum0 = 0;
    double sum1 = 0;
    double sum2 = 0;
    double sum3 = 0;
    int i = from;
    for (; i + 3 < to; i += 4) {
      sum0 += x[i];
      sum1 += x[i + 1];
      sum2 += x[i + 2];
      sum3 += x[i + 3];
    }
    for (; i < to; i++) {
      sum0 += x[i];
    }
    return (sum0 + sum1) + (sum2 + sum3);
  }

  private static double dot(float[] x, float[] y, int from, int to) {
    float sum0 = 0;
    float sum1 = 0;
    float sum2 = 0;
    float sum3 = 0;
    int i = from;
    for (; i + 3 < to; i += 4) {
      sum0 += x[i] * y[i];
      sum1 += x[i + 1] * y[i + 1];
      sum2 += x[i + 2] * y[i + 2];
      sum3 += x[i + 3] * y[i + 3];
    }
    for (; i < to; i++) {
      sum0 += x[i] * y[i];
    }
    return (double) (sum0 + sum1) + (sum2 + sum3);
  }

  private static void scale(float[] x, int from, int to, float factor) {
    for (int i = from; i < to; i++) {
      x[i] *= factor;
    }
  }

  @Override
  public Tensor softmaxGradient(Tensor gradient, Tensor output, double scale) {
    int columns = (int) output.shape(-1);
    float[] g = array(gradient);
    float[] y = array(output);
    float[] out = new float[y.length];
    float factor = (float) scale;
    for (int at = 0; at < out.length; at += columns) {
      float mean = (float) dot(g, y, at, at + columns);
      for (int i = at; i < at + columns; i++) {
        out[i] = y[i] * (g[i] - mean) * factor;
      }
    }
    return Tensor.wrap(out, output.shape());
  }

  @Override
  public Normalised normalise(Tensor x, int columns, double eps) {
    float[] in = array(x);
    float[] out = new float[in.length];
    float[] scales = new float[in.length / columns];
    for (int row = 0; row < scales.length; row++) {
      int at = row * columns;
      float mean = (float) (sum(in, at, at + columns) / columns);
      for (int i = at; i < at + columns; i++) {
        out[i] = in[i] - mean;
      }
      double variance = dot(out, out, at, at + columns) / columns;
      scales[row] = (float) (1 / Math.sqrt(variance + eps));
      scale(out, at, at + columns, scales[row]);
    }
    return new Normalised(Tensor.wrap(out, x.shape()), Tensor.wrap(scales, scales.length));
  }

  @Override
  public Tensor affine(Tensor x, Tensor weight, Tensor bias) {
    float[] in = array(x);
    float[] w = array(weight);
    float[] b = array(bias);
    float[] out = new float[in.length];
    float[] row = new float[w.length];
    for (int at = 0; at < out.length; at += row.length) {
      System.arraycopy(in, at, row, 0, row.length);
      for (int i = 0; i < row.length; i++) {
        row[i] = row[i] * w[i] + b[i];
      }
      System.arraycopy(row, 0, out, at, row.length);
    }
    return Tensor.wrap(out, x.shape());
  }

  @Override
  public Tensor normaliseGradient(Tensor gradient, Normalised normalised, Tensor weight) {
    float[] g = array(gradient);
    float[] n = array(normalised.rows());
    float[] scales = array(normalised.scales());
    float[] w = array(weight);
    float[] out = new float[g.length];
    int columns = w.length;
    float[] h = new float[columns];
    float[] row = new float[columns];
    for (int at = 0; at < out.length; at += columns) {
      System.arraycopy(g, at, h, 0, columns);
      System.arraycopy(n, at, row, 0, columns);
      for (int i = 0; i < columns; i++) {
        h[i] *= w[i];
      }
      float mean = (float) (sum(h, 0, columns) / columns);
      float slope = (float) (dot(h, row, 0, columns) / columns);
      float scale = scales[at / columns];
      for (int i = 0; i < columns; i++) {
        h[i] = scale * (h[i] - mean - row[i] * slope);
      }
      System.arraycopy(h, 0, out, at, columns);
    }
    return Tensor.wrap(out, gradient.shape());
  }
}
