package io.hazelgrad.autograd.training;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.optim.Optimizer;
import io.hazelgrad.autograd.optim.Schedule;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Optimizes parameters of this process.
 *
 * <pre>{@code
 * LocalOptimizer optimizer = LocalOptimizer.of(Adam.defaults(), List.of(weight, bias));
 * loss(x, y).backward();
 * optimizer.step();
 * optimizer.zeroGrad();
 * }</pre>
 *
 * <p>A step makes a step for each parameter that has a gradient. If one fails it stays as it was,
 * and the others have made theirs.
 *
 * <p>Threads: safe. Steps on one parameter, also those of other optimizers, follow each other;
 * {@link #restore} must not run beside steps.
 */
public final class LocalOptimizer {
  private final ParameterSlots slots;
  private final LearningRates rates;
  private final double maxNorm;

  private LocalOptimizer(Builder builder) {
    ParameterGroups<Variable> groups = builder.groups;
    groups.check();
    List<Variable> parameters = groups.parameters();
    List<ParameterSlot> all = new ArrayList<>();
    for (int i = 0; i < parameters.size(); i++) {
      int group = groups.group(i);
      Optimizer optimizer = groups.optimizers().get(group);
      all.add(new ParameterSlot("parameter " + i, parameters.get(i), optimizer, group));
    }
    this.slots = new ParameterSlots(all);
    this.rates = new LearningRates(groups.optimizers(), builder.schedule);
    this.maxNorm = builder.maxNorm;
  }

  /**
   * Makes an optimizer of one group, without schedule and clipping.
   *
   * @throws GridException BAD_ARGUMENT without parameters, or if one is there twice or needs no
   *     gradient
   */
  public static LocalOptimizer of(Optimizer optimizer, List<Variable> parameters) {
    return builder().parameters(optimizer, parameters).build();
  }

  /** Begins an optimizer. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes a step with the gradients that {@link Variable#grad()} has. */
  public StepResult step() {
    return step(Variable::grad);
  }

  /**
   * Makes a step with gradients from elsewhere, such as {@code context::gradient}.
   *
   * @param gradients returns the gradient of a parameter, or null if it has none
   * @throws GridException the first failure, which names the parameter
   */
  public StepResult step(Function<Variable, @Nullable Tensor> gradients) {
    double[] now = rates.now();
    if (maxNorm == Double.POSITIVE_INFINITY) {
      return new StepResult(slots.step(gradients, now, 1), OptionalDouble.empty());
    }
    double norm = Clipping.total(slots.norms(gradients), i -> "parameter " + i);
    int changed = slots.step(gradients, now, Clipping.scale(norm, maxNorm));
    return new StepResult(changed, OptionalDouble.of(norm));
  }

  /** Forgets {@link Variable#grad()} of all parameters. */
  public void zeroGrad() {
    slots.all().forEach(slot -> slot.parameter().zeroGrad());
  }

  /** Moves the schedule on by one step; as torch's {@code scheduler.step()}. */
  public void advanceSchedule() {
    rates.advance();
  }

  /** Returns the learning rate of each group at the next step. */
  public List<Double> learningRates() {
    return rates.list();
  }

  /** Returns what the optimizer remembers. A copy. */
  public OptimizerState state() {
    List<Map<String, Tensor>> states = new ArrayList<>();
    slots.all().forEach(slot -> states.add(slot.export(false).state()));
    return new OptimizerState(states, rates.position());
  }

  /**
   * Takes what {@link #state()} of an optimizer for the same parameters returned.
   *
   * @throws GridException BAD_ARGUMENT if it does not fit; nothing has changed then
   */
  public void restore(OptimizerState state) {
    List<ParameterSlot> all = slots.all();
    if (state.parameters().size() != all.size()) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "a state of " + state.parameters().size() + " parameters, for " + all.size());
    }
    try {
      for (int i = 0; i < all.size(); i++) {
        all.get(i).stage(new ParameterSnapshot(null, state.parameters().get(i)));
      }
    } catch (GridException e) {
      all.forEach(ParameterSlot::discard);
      throw e;
    }
    all.forEach(ParameterSlot::commit);
    rates.position(state.scheduleStep());
  }

  /** Says what to optimize and how. Not safe for several threads. */
  public static final class Builder {
    private final ParameterGroups<Variable> groups = new ParameterGroups<>();
    private Schedule schedule = Schedule.constant();
    private double maxNorm = Double.POSITIVE_INFINITY;

    private Builder() {}

    /** Adds a group of parameters with an optimizer of its own. */
    public Builder parameters(Optimizer optimizer, List<Variable> parameters) {
      groups.add(optimizer, parameters);
      return this;
    }

    /** Sets the schedule of the learning rates; without one they stay. */
    public Builder schedule(Schedule newSchedule) {
      schedule = newSchedule;
      return this;
    }

    /**
     * Scales gradients down before each step so that their norm, of all together, is at most this.
     */
    public Builder clipNorm(double newMaxNorm) {
      maxNorm = Clipping.checkMaxNorm(newMaxNorm);
      return this;
    }

    /**
     * Makes the optimizer.
     *
     * @throws GridException BAD_ARGUMENT without parameters, or if one is there twice or needs no
     *     gradient; what {@link Optimizer#newState} throws
     */
    public LocalOptimizer build() {
      return new LocalOptimizer(this);
    }
  }
}
