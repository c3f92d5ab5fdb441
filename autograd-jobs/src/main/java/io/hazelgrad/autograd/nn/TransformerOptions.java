package io.hazelgrad.autograd.nn;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.RemoteValue;

/**
 * The options of a layer of a transformer.
 *
 * @param feedforward the number of columns between the two linear layers
 * @param dropout the probability with which training drops an element
 * @param activation the function between the two linear layers
 * @param eps a number added to the variance in both normalizations
 * @param batchFirst whether input and output are {@code [N, L, E]} in place of {@code [L, N, E]}
 * @param normFirst whether each part normalizes its input in place of its result
 * @param causal whether a position attends only to itself and to those before it
 */
@RemoteValue
public record TransformerOptions(
    int feedforward,
    double dropout,
    Activation activation,
    double eps,
    boolean batchFirst,
    boolean normFirst,
    boolean causal) {
  /** The function between the two linear layers; torch's {@code activation}. */
  @RemoteValue
  public enum Activation {
    /** The greater of an element and 0. */
    RELU,
    /** An element times the normal distribution function of it, exactly. */
    GELU;

    Variable of(Variable x) {
      return this == RELU
          ? x.relu()
          : Variable.apply("gelu", Attributes.of("approximate", "none"), x);
    }
  }

  /** Checks the numbers: BAD_ARGUMENT. */
  public TransformerOptions {
    Module.atLeast("feedforward", feedforward, 1);
    Module.probability("dropout", dropout);
    if (!(eps >= 0)) {
      throw Module.bad("eps=" + eps + " must not be negative");
    }
  }

  /**
   * Returns torch's defaults: 2048 columns, dropout 0.1, RELU, eps 1e-5, the steps first, the
   * normalization last, no causal mask.
   */
  public static TransformerOptions defaults() {
    return new TransformerOptions(2048, 0.1, Activation.RELU, 1e-5, false, false, false);
  }

  /** Returns the same with another number of columns between the linear layers. */
  public TransformerOptions withFeedforward(int newFeedforward) {
    return new TransformerOptions(
        newFeedforward, dropout, activation, eps, batchFirst, normFirst, causal);
  }

  /** Returns the same with another probability of dropping. */
  public TransformerOptions withDropout(double newDropout) {
    return new TransformerOptions(
        feedforward, newDropout, activation, eps, batchFirst, normFirst, causal);
  }

  /** Returns the same with another activation. */
  public TransformerOptions withActivation(Activation newActivation) {
    return new TransformerOptions(
        feedforward, dropout, newActivation, eps, batchFirst, normFirst, causal);
  }

  /** Returns the same with another eps. */
  public TransformerOptions withEps(double newEps) {
    return new TransformerOptions(
        feedforward, dropout, activation, newEps, batchFirst, normFirst, causal);
  }

  /** Returns the same with the batch or the steps as first dimension. */
  public TransformerOptions withBatchFirst(boolean newBatchFirst) {
    return new TransformerOptions(
        feedforward, dropout, activation, eps, newBatchFirst, normFirst, causal);
  }

  /** Returns the same with the normalization first or last. */
  public TransformerOptions withNormFirst(boolean newNormFirst) {
    return new TransformerOptions(
        feedforward, dropout, activation, eps, batchFirst, newNormFirst, causal);
  }

  /** Returns the same, looking back only or everywhere. */
  public TransformerOptions withCausal(boolean newCausal) {
    return new TransformerOptions(
        feedforward, dropout, activation, eps, batchFirst, normFirst, newCausal);
  }
}
