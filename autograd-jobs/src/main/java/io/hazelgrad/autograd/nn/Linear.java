package io.hazelgrad.autograd.nn;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.RemoteFunctions;
import org.jspecify.annotations.Nullable;

/**
 * {@code x weight^T + bias}, for x {@code [.., inputs]}; as {@code torch.nn.Linear}, with its
 * parameters {@code weight} [outputs, inputs] and {@code bias} [outputs] and their initial values.
 *
 * <p>Threads: safe.
 */
@RemoteFunctions
public final class Linear extends Module<Variable, Variable> {
  private final Variable weight;
  private final @Nullable Variable bias;

  /** Makes a layer with a bias. */
  public Linear(int inputs, int outputs, Init init) {
    this(inputs, outputs, true, init);
  }

  /** Makes a layer. */
  public Linear(int inputs, int outputs, boolean biased, Init init) {
    atLeast("inputs", inputs, 0);
    atLeast("outputs", outputs, 0);
    weight = parameter("weight", init.forSumsOf(inputs, outputs, inputs));
    bias = biased ? parameter("bias", init.forSumsOf(inputs, outputs)) : null;
  }

  @Override
  public Variable forward(Variable x) {
    return bias == null ? Variable.apply("linear", x, weight) : x.linear(weight, bias);
  }
}
