package io.hazelgrad.autograd.nn;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.RemoteFunctions;
import java.util.List;

/**
 * Self-attention and two linear layers, each added to its input and normalized; as {@code
 * torch.nn.TransformerEncoderLayer}, with its parameters {@code self_attn}, {@code linear1}, {@code
 * linear2}, {@code norm1} and {@code norm2} and their initial values. It drops no weights of the
 * attention.
 *
 * <p>Threads: safe.
 */
@RemoteFunctions
public final class TransformerEncoderLayer extends Module<Variable, Variable> {
  private final TransformerOptions options;
  private final MultiHeadAttention attention;
  private final Linear linear1;
  private final Dropout dropout;
  private final Linear linear2;
  private final LayerNorm norm1;
  private final LayerNorm norm2;
  private final Dropout dropout1;
  private final Dropout dropout2;

  /** Makes a layer with {@link TransformerOptions#defaults()}. */
  public TransformerEncoderLayer(int columns, int heads, Init init) {
    this(columns, heads, TransformerOptions.defaults(), init);
  }

  /**
   * Makes a layer.
   *
   * @param columns the last extent of input and output
   * @param heads the number of heads of the attention; must divide it
   */
  public TransformerEncoderLayer(int columns, int heads, TransformerOptions options, Init init) {
    this.options = options;
    int inner = options.feedforward();
    attention = child("self_attn", new MultiHeadAttention(columns, heads, init));
    linear1 = child("linear1", new Linear(columns, inner, init));
    dropout = child("dropout", new Dropout(options.dropout(), init));
    linear2 = child("linear2", new Linear(inner, columns, init));
    norm1 = child("norm1", new LayerNorm(List.of(columns), options.eps(), true, init));
    norm2 = child("norm2", new LayerNorm(List.of(columns), options.eps(), true, init));
    dropout1 = child("dropout1", new Dropout(options.dropout(), init));
    dropout2 = child("dropout2", new Dropout(options.dropout(), init));
  }

  @Override
  public Variable forward(Variable x) {
    if (options.normFirst()) {
      Variable attended = x.add(attend(norm1.forward(x)));
      return attended.add(feed(norm2.forward(attended)));
    }
    Variable attended = norm1.forward(x.add(attend(x)));
    return norm2.forward(attended.add(feed(attended)));
  }

  private Variable attend(Variable x) {
    Variable y = attention.forward(input(batchFirst(x)));
    return dropout1.forward(batchFirst(y));
  }

  private MultiHeadAttention.Input input(Variable x) {
    return MultiHeadAttention.Input.self(x).withCausal(options.causal());
  }

  /** Swaps batch and steps where the steps are first; a second call swaps them back. */
  private Variable batchFirst(Variable x) {
    return options.batchFirst() ? x : x.transpose(0, 1);
  }

  private Variable feed(Variable x) {
    Variable inner = options.activation().of(linear1.forward(x));
    return dropout2.forward(linear2.forward(dropout.forward(inner)));
  }
}
