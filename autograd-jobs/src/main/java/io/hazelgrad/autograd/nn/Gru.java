package io.hazelgrad.autograd.nn;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.RemoteValue;
import java.util.List;

/** The gated recurrent unit, as {@code torch.nn.GRU}; see {@link Recurrent}. */
@RemoteFunctions
public final class Gru extends Recurrent {
  /** Makes a module with {@link RecurrentOptions#defaults()}. */
  public Gru(int inputs, int hidden, Init init) {
    this(inputs, hidden, RecurrentOptions.defaults(), init);
  }

  /** Makes a module. */
  public Gru(int inputs, int hidden, RecurrentOptions options, Init init) {
    super("gru", 3, 1, inputs, hidden, options, init);
  }

  /**
   * The results of a run.
   *
   * @param output h of all steps of the last layer
   * @param hidden h of the last step of each layer and direction
   */
  @RemoteValue
  public record Result(Variable output, Variable hidden) {}

  /**
   * Computes the output and the last states, from these first ones.
   *
   * @throws io.hazelgrad.grid.GridException BAD_ARGUMENT if shapes do not fit
   */
  public Result run(Variable x, Variable hidden) {
    List<Variable> all = steps(x, hidden);
    return new Result(all.get(0), all.get(1));
  }
}
