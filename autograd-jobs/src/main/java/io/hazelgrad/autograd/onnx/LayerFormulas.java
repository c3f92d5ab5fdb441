package io.hazelgrad.autograd.onnx;

import io.hazelgrad.autograd.onnx.OperationWriter.Formula;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.Map;
import java.util.Objects;
import java.util.stream.LongStream;

/** Normalisations and attention as ONNX's operators. */
final class LayerFormulas {
  private static final double EPS = 1e-5;

  /** The place of the optional mask among the inputs of multi-head attention. */
  private static final int MASK = 7;

  private LayerFormulas() {}

  static void addTo(Map<String, Formula> all) {
    all.put("layer_norm", LayerFormulas::layerNorm);
    all.put("batch_norm", LayerFormulas::batchNorm);
    all.put(
        "scaled_dot_product_attention",
        to -> attention(to, to.in(0), to.in(1), to.in(2), 3, scale(to, 0)));
    all.put("multi_head_attention", LayerFormulas::multiHead);
  }

  private static double eps(OperationWriter to) {
    return to.attributes().number(to.operation(), "eps", EPS);
  }

  private static String layerNorm(OperationWriter to) {
    long[] shape =
        Objects.requireNonNull(to.attributes().integers(to.operation(), "normalized_shape"));
    if (shape.length == 0) {
      throw to.bad("normalized_shape=[] cannot be exported to ONNX");
    }
    String weight = to.has(1) ? to.in(1) : to.constant(Tensor.full(to.output().dtype(), 1, shape));
    Map<String, Object> settings = Map.of("axis", -shape.length, "epsilon", eps(to));
    return to.has(2)
        ? to.node("LayerNormalization", settings, to.in(0), weight, to.in(2))
        : to.node("LayerNormalization", settings, to.in(0), weight);
  }

  private static String batchNorm(OperationWriter to) {
    TracedValue x = to.inputs().get(0);
    long channels = to.inputs().get(1).shape()[0];
    if (to.attributes().flag(to.operation(), "training", false)) {
      return batchStatistics(to, x, channels);
    }
    DType dtype = to.output().dtype();
    String weight = to.has(3) ? to.in(3) : to.constant(Tensor.full(dtype, 1, channels));
    String bias = to.has(4) ? to.in(4) : to.constant(Tensor.zeros(dtype, channels));
    return to.node(
        "BatchNormalization",
        Map.of("epsilon", eps(to)),
        x.name(),
        weight,
        bias,
        to.in(1),
        to.in(2));
  }

  /** Writes the normalisation by mean and variance of the batch itself. */
  private static String batchStatistics(OperationWriter to, TracedValue x, long channels) {
    long[] dims = LongStream.range(0, x.rank()).filter(dim -> dim != 1).toArray();
    String distance = to.sub(x.name(), to.reduceKeeping("ReduceMean", x.name(), dims));
    String variance = to.reduceKeeping("ReduceMean", to.mul(distance, distance), dims);
    String deviation = to.node("Sqrt", to.add(variance, to.number(eps(to))));
    String y = to.div(distance, deviation);
    long[] shape = LongStream.range(0, x.rank()).map(dim -> dim == 1 ? channels : 1).toArray();
    y = to.has(3) ? to.mul(y, to.reshape(to.in(3), shape)) : y;
    return to.has(4) ? to.add(y, to.reshape(to.in(4), shape)) : y;
  }

  private static double scale(OperationWriter to, int query) {
    TracedValue q = to.inputs().get(query);
    return 1 / Math.sqrt(Math.max(1.0, (double) q.shape()[q.rank() - 1]));
  }

  /** Writes softmax(q k^T scale) v, with the mask at that place of the inputs, if there is one. */
  private static String attention(
      OperationWriter to, String q, String k, String v, int mask, double scale) {
    long rank =
        to.operation().startsWith("multi") ? 4 : to.inputs().get(1).rank(); // That of the keys.
    long[] order = LongStream.range(0, rank).toArray();
    order[order.length - 1]--;
    order[order.length - 2]++;
    String scores = to.times(to.node("MatMul", q, to.transpose(k, order)), scale);
    String never = to.number(Double.NEGATIVE_INFINITY);
    if (to.has(mask) && to.inputs().get(mask).dtype() == DType.BOOL) {
      scores = to.where(to.in(mask), scores, never);
    } else if (to.has(mask)) {
      scores = to.add(scores, to.in(mask));
    }
    if (to.attributes().flag(to.operation(), "causal", false)) {
      scores = to.where(to.constant(past(to)), scores, never);
    }
    String weights = to.node("Softmax", Map.of("axis", -1), scores);
    to.more().put("weights", weights);
    return to.node("MatMul", weights, v);
  }

  /** Returns true where a query may attend to a key: up to its own position. */
  private static Tensor past(OperationWriter to) {
    int queries = Math.toIntExact(to.fixed(0, to.inputs().get(0).rank() - 2));
    int keys = Math.toIntExact(to.fixed(1, to.inputs().get(1).rank() - 2));
    boolean[] past = new boolean[queries * keys];
    for (int i = 0; i < past.length; i++) {
      past[i] = i % keys <= i / keys;
    }
    return Tensor.of(past, queries, keys);
  }

  private static String multiHead(OperationWriter to) {
    long heads = to.attributes().integer(to.operation(), "heads");
    long columns = to.inputs().get(0).shape()[2];
    String[] parts = new String[3];
    for (int i = 0; i < 3; i++) {
      String weight = to.slice(to.in(3), 0, i * columns, (i + 1) * columns);
      String bias = to.slice(to.in(4), 0, i * columns, (i + 1) * columns);
      String projected = ShapeFormulas.linear(to, to.in(i), weight, bias);
      // A 0 keeps the extent: the batch and the length.
      String split = to.reshape(projected, 0, 0, heads, columns / heads);
      parts[i] = to.transpose(split, 0, 2, 1, 3);
    }
    double scale = 1 / Math.sqrt((double) columns / heads);
    String attended = attention(to, parts[0], parts[1], parts[2], MASK, scale);
    String joined = to.reshape(to.transpose(attended, 0, 2, 1, 3), 0, 0, columns);
    return ShapeFormulas.linear(to, joined, to.in(5), to.in(6));
  }
}
