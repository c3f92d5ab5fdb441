package io.hazelgrad.autograd.nn;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.RemoteValue;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Multi-head attention, as {@code torch.nn.MultiheadAttention} with {@code batch_first}, with its
 * parameters {@code in_proj_weight} [3 E, E], {@code in_proj_bias} [3 E], {@code out_proj.weight}
 * [E, E] and {@code out_proj.bias} [E] and their initial values. It drops no weights.
 *
 * <p>Threads: safe.
 */
@RemoteFunctions
public final class MultiHeadAttention extends Module<MultiHeadAttention.Input, Variable> {
  private static final String OPERATION = "multi_head_attention";

  private final int heads;
  private final Variable inWeight;
  private final Variable inBias;
  private final Projection output;

  /**
   * The input of attention.
   *
   * @param query {@code [N, L, E]}
   * @param key {@code [N, S, E]}
   * @param value {@code [N, S, E]}
   * @param mask null, or a tensor that broadcasts to {@code [N, heads, L, S]}: true where a query
   *     may attend to a key, or numbers to add to the scores
   * @param causal whether query i attends only to the keys up to i
   */
  @RemoteValue
  public record Input(
      Variable query, Variable key, Variable value, @Nullable Variable mask, boolean causal) {
    /** Returns the input of self-attention without a mask. */
    public static Input self(Variable x) {
      return new Input(x, x, x, null, false);
    }

    /** Returns the same with a mask. */
    public Input withMask(Variable newMask) {
      return new Input(query, key, value, newMask, causal);
    }

    /** Returns the same, looking back only or everywhere. */
    public Input withCausal(boolean newCausal) {
      return new Input(query, key, value, mask, newCausal);
    }
  }

  /** Holds the last projection's parameters under torch's names. */
  private static final class Projection extends Module<Variable, Variable> {
    final Variable weight;
    final Variable bias;

    Projection(int columns, Init init) {
      weight = parameter("weight", init.forSumsOf(columns, columns, columns));
      bias = parameter("bias", init.full(0, columns));
    }

    @Override
    public Variable forward(Variable x) {
      return x.linear(weight, bias);
    }
  }

  /**
   * Makes a module.
   *
   * @param columns the last extent of all inputs
   * @param heads in how many parts they are taken; must divide it
   */
  public MultiHeadAttention(int columns, int heads, Init init) {
    atLeast("columns", columns, 1);
    atLeast("heads", heads, 1);
    if (columns % heads != 0) {
      throw bad("heads=" + heads + " must divide columns=" + columns);
    }
    this.heads = heads;
    double bound = Math.sqrt(6.0 / (4.0 * columns)); // After Glorot and Bengio (2010).
    inWeight = parameter("in_proj_weight", init.uniform(-bound, bound, 3L * columns, columns));
    inBias = parameter("in_proj_bias", init.full(0, 3L * columns));
    output = child("out_proj", new Projection(columns, init));
  }

  @Override
  public Variable forward(Input input) {
    List<Variable> inputs = new ArrayList<>();
    inputs.addAll(List.of(input.query(), input.key(), input.value()));
    inputs.addAll(List.of(inWeight, inBias, output.weight, output.bias));
    if (input.mask() != null) {
      inputs.add(input.mask());
    }
    return Variable.apply(
        OPERATION,
        Attributes.of("heads", heads, "causal", input.causal()),
        inputs.toArray(Variable[]::new));
  }
}
