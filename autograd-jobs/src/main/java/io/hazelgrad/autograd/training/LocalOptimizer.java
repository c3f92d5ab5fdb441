package io.hazelgrad.autograd.training;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.optim.Optimizer;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.List;
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
 * <p>A step changes each parameter that has a gradient. If it fails for one parameter, that
 * parameter keeps its value; the others have made their steps.
 *
 * <p>Threads: safe. Steps on one parameter, also those of other optimizers, follow each other;
 * {@link #restore} must not run beside steps.
 */
public final class LocalOptimizer extends GroupedOptimizer {
  private final ParameterSlots slots;

  private LocalOptimizer(Builder builder) {
    super(builder);
    List<ParameterSlot> all = new ArrayList<>();
    for (int i = 0; i < builder.parameters.size(); i++) {
      int group = builder.groups.get(i);
      Optimizer optimizer = builder.optimizers.get(group);
      all.add(new ParameterSlot("parameter " + i, builder.parameters.get(i), optimizer, group));
    }
    this.slots = new ParameterSlots(all);
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

  /** Returns a builder. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes a step with the gradients that {@link Variable#grad()} has. */
  public StepResult step() {
    return step(Variable::grad);
  }

  /**
   * Makes a step with other gradients, such as {@code context::gradient}.
   *
   * @param gradients returns the gradient of a parameter, or null if it has none
   * @throws GridException the first failure, which names the parameter
   */
  public StepResult step(Function<Variable, @Nullable Tensor> gradients) {
    return step(
        () -> Clipping.total(slots.norms(gradients), i -> "parameter " + i),
        (rates, scale) -> slots.step(gradients, rates, scale));
  }

  /** Clears {@link Variable#grad()} of all parameters. */
  public void zeroGrad() {
    slots.all().forEach(slot -> slot.parameter().zeroGrad());
  }

  /** Returns a copy of the optimizer's state. */
  public OptimizerState state() {
    return new OptimizerState(
        slots.all().stream().map(slot -> slot.export(false).state()).toList(), schedulePosition());
  }

  /**
   * Restores a state that {@link #state()} of an optimizer for the same parameters returned.
   *
   * @throws GridException BAD_ARGUMENT if it does not fit; nothing has changed then
   */
  public void restore(OptimizerState state) {
    List<ParameterSlot> all = slots.all();
    restore(
        state,
        all.size(),
        i -> all.get(i).stage(new ParameterSnapshot(null, state.parameters().get(i))),
        () -> all.forEach(ParameterSlot::discard),
        () -> all.forEach(ParameterSlot::commit));
  }

  /** Builds an optimizer. Not safe for several threads. */
  public static final class Builder extends OptimizerBuilder<Variable, Builder> {
    private Builder() {}

    @Override
    Builder self() {
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
