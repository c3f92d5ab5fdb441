package io.hazelgrad.autograd.nn;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.RemoteFunctions;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Sets elements to zero at random and scales the others up in training; returns its input in
 * evaluation. As {@code torch.nn.Dropout}. The seed and the number of the run determine a mask, so
 * two modules with the same seed use the same sequence of masks.
 *
 * <p>Threads: safe.
 */
@RemoteFunctions
public final class Dropout extends Module<Variable, Variable> {
  private final double probability;
  private final long seed;
  private final AtomicLong runs = new AtomicLong();

  /** Makes a layer that drops an element with this probability. */
  public Dropout(double probability, Init init) {
    probability("probability", probability);
    this.probability = probability;
    this.seed = init.nextLong();
  }

  @Override
  void seek(long run) {
    runs.set(run);
  }

  @Override
  public Variable forward(Variable x) {
    if (!isTraining() || probability == 0) {
      return x;
    }
    long mask = Init.at(seed, runs.getAndIncrement());
    return Variable.apply("dropout", Attributes.of("p", probability, "seed", mask), x);
  }
}
