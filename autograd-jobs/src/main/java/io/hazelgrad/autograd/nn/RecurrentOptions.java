package io.hazelgrad.autograd.nn;

import io.hazelgrad.grid.RemoteValue;

/**
 * The options of a recurrent module.
 *
 * @param layers the number of stacked layers
 * @param bidirectional whether each layer also goes over the steps backwards
 * @param batchFirst whether input and output are {@code [N, T, ..]} in place of {@code [T, N, ..]}
 * @param biased whether there are biases
 * @param dropout the probability with which training drops an element between layers
 */
@RemoteValue
public record RecurrentOptions(
    int layers, boolean bidirectional, boolean batchFirst, boolean biased, double dropout) {
  /** Checks the numbers: BAD_ARGUMENT. */
  public RecurrentOptions {
    Module.atLeast("layers", layers, 1);
    Module.probability("dropout", dropout);
  }

  /** Returns one layer, one direction, steps first, biases, no dropout. */
  public static RecurrentOptions defaults() {
    return new RecurrentOptions(1, false, false, true, 0);
  }

  /** Returns the same with another number of layers. */
  public RecurrentOptions withLayers(int newLayers) {
    return new RecurrentOptions(newLayers, bidirectional, batchFirst, biased, dropout);
  }

  /** Returns the same with one direction or both. */
  public RecurrentOptions withBidirectional(boolean newBidirectional) {
    return new RecurrentOptions(layers, newBidirectional, batchFirst, biased, dropout);
  }

  /** Returns the same with the batch or the steps as first dimension. */
  public RecurrentOptions withBatchFirst(boolean newBatchFirst) {
    return new RecurrentOptions(layers, bidirectional, newBatchFirst, biased, dropout);
  }

  /** Returns the same with or without biases. */
  public RecurrentOptions withBias(boolean newBiased) {
    return new RecurrentOptions(layers, bidirectional, batchFirst, newBiased, dropout);
  }

  /** Returns the same with another probability of dropping. */
  public RecurrentOptions withDropout(double newDropout) {
    return new RecurrentOptions(layers, bidirectional, batchFirst, biased, newDropout);
  }

  int directions() {
    return bidirectional ? 2 : 1;
  }
}
