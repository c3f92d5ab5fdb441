package io.hazelgrad.autograd.onnx;

import io.hazelgrad.autograd.onnx.OperationWriter.Formula;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.Map;

/** Losses as ONNX's operators. */
final class LossFormulas {
  private static final double LEAST_LOG = -100;
  private static final long IGNORED = -100;

  private LossFormulas() {}

  static void addTo(Map<String, Formula> all) {
    all.put("mse_loss", to -> to.reduced(square(to, difference(to))));
    all.put("l1_loss", to -> to.reduced(to.node("Abs", difference(to))));
    all.put("smooth_l1_loss", LossFormulas::smooth);
    all.put("bce", LossFormulas::crossEntropy);
    all.put("bce_with_logits", LossFormulas::crossEntropyOfLogits);
    all.put("nll_loss", to -> ofClasses(to, to.in(0)));
    all.put(
        "cross_entropy",
        to -> {
          int dim = to.inputs().get(0).rank() == 1 ? 0 : 1;
          return ofClasses(to, to.node("LogSoftmax", Map.of("axis", dim), to.in(0)));
        });
  }

  private static String difference(OperationWriter to) {
    return to.sub(to.typed(0), to.typed(1));
  }

  private static String square(OperationWriter to, String x) {
    return to.mul(x, x);
  }

  private static String smooth(OperationWriter to) {
    double beta = to.attributes().number(to.operation(), "beta", 1);
    String size = to.node("Abs", difference(to));
    String linear = to.sub(size, to.number(0.5 * beta));
    if (beta == 0) {
      return to.reduced(linear);
    }
    String quadratic = to.div(to.times(square(to, size), 0.5), to.number(beta));
    return to.reduced(to.where(to.node("Less", size, to.number(beta)), quadratic, linear));
  }

  private static String crossEntropy(OperationWriter to) {
    String a = to.typed(0);
    String target = to.typed(1);
    String least = to.number(LEAST_LOG);
    String log = to.node("Max", to.node("Log", a), least);
    String rest = to.node("Max", ElementFormulas.logOfOnePlus(to, to.node("Neg", a)), least);
    String other = to.mul(to.sub(target, to.number(1)), rest);
    String loss = to.sub(other, to.mul(target, log));
    return to.reduced(to.has(2) ? to.mul(loss, to.typed(2)) : loss);
  }

  /** Writes -(pos_weight target log_sigmoid(a) + (1 - target) log_sigmoid(-a)) weight. */
  private static String crossEntropyOfLogits(OperationWriter to) {
    String a = to.typed(0);
    String target = to.typed(1);
    String positive = to.mul(target, ElementFormulas.logSigmoid(to, a));
    positive = to.has(2) ? to.mul(positive, to.typed(2)) : positive;
    String negative =
        to.mul(to.sub(to.number(1), target), ElementFormulas.logSigmoid(to, to.node("Neg", a)));
    String loss = to.node("Neg", to.add(positive, negative));
    return to.reduced(to.has(3) ? to.mul(loss, to.typed(3)) : loss);
  }

  /** Writes the loss of class indices from logarithms of probabilities; see the catalogue. */
  private static String ofClasses(OperationWriter to, String logs) {
    int rank = to.inputs().get(0).rank();
    int dim = rank == 1 ? 0 : 1;
    long ignored = to.attributes().integer(to.operation(), "ignore_index", IGNORED);
    String target = to.in(1);
    String isIgnored =
        to.node("Equal", target, to.nodes().constant(Tensor.of(new long[] {ignored})));
    String index = to.where(isIgnored, to.nodes().scalar(DType.INT64, 0), target);
    String zero = to.number(0);
    String weight =
        to.has(2) ? to.node("Gather", Map.of("axis", 0), to.in(2), index) : to.number(1);
    weight = to.where(isIgnored, zero, weight);
    String picked = to.node("GatherElements", Map.of("axis", dim), logs, to.unsqueeze(index, dim));
    String own = to.where(isIgnored, zero, to.squeeze(picked, dim));
    String loss = to.node("Neg", to.mul(own, weight));
    double smoothing = to.attributes().number(to.operation(), "label_smoothing", 0);
    if (smoothing > 0) {
      String weighted = to.has(2) ? to.mul(logs, alongClasses(to, rank, dim)) : logs;
      String all = to.node("ReduceSum", Map.of("keepdims", 0), weighted, to.nodes().integers(dim));
      String even = to.times(all, -smoothing / to.fixed(0, dim));
      loss = to.add(to.times(loss, 1 - smoothing), to.where(isIgnored, zero, even));
    }
    String reduction = to.attributes().text(to.operation(), "reduction", "mean");
    if (reduction.equals("none")) {
      return loss;
    }
    String sum = to.node("ReduceSum", Map.of("keepdims", 0), loss);
    return reduction.equals("sum")
        ? sum
        : to.div(sum, to.node("ReduceSum", Map.of("keepdims", 0), weight));
  }

  private static String alongClasses(OperationWriter to, int rank, int dim) {
    long[] shape = new long[rank - dim];
    Arrays.fill(shape, 1);
    shape[0] = -1;
    return to.reshape(to.in(2), shape);
  }
}
