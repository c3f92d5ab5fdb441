package io.hazelgrad.autograd.nn;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;

/**
 * A vector for each index: takes INT64 indices of any shape, gives {@code [.., columns]}; as {@code
 * torch.nn.Embedding}, with its parameter {@code weight} [rows, columns] and its initial values.
 *
 * <p>Threads: safe.
 */
@RemoteFunctions
public final class Embedding extends Module<Variable, Variable> {
  private final Variable weight;
  private final Attributes attributes;

  /** Makes a table whose every row is trained. */
  public Embedding(int rows, int columns, Init init) {
    atLeast("rows", rows, 0);
    atLeast("columns", columns, 0);
    weight = parameter("weight", init.normal(0, 1, rows, columns));
    attributes = Attributes.none();
  }

  /** Makes a table with one row, for padding, that is zero and not trained. */
  public Embedding(int rows, int columns, int padding, Init init) {
    atLeast("rows", rows, 1);
    atLeast("columns", columns, 0);
    if (padding < 0 || padding >= rows) {
      throw bad("padding=" + padding + " is no row of " + rows);
    }
    double[] values = init.normal(0, 1, rows, columns).toDoubles();
    Arrays.fill(values, padding * columns, (padding + 1) * columns, 0);
    weight = parameter("weight", Tensor.wrap(values, rows, columns).to(init.dtype()));
    attributes = Attributes.of("padding_idx", padding);
  }

  @Override
  public Variable forward(Variable indices) {
    return Variable.apply("embedding", attributes, indices, weight);
  }
}
