package io.hazelgrad.autograd.training;

import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.optim.Optimizer;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Optimizes parameters of many workers. The owner of a parameter keeps the optimizer's state for
 * it. A step uses the gradients that each owner has in a context.
 *
 * <pre>{@code
 * try (DistributedOptimizer optimizer =
 *     DistributedOptimizer.over(grid)
 *         .parameters(AdamW.defaults(), weights)
 *         .parameters(Sgd.of(0.1), biases)
 *         .schedule(Schedule.cosineAnnealing(1000, 0))
 *         .clipNorm(1)
 *         .create()) {
 *   try (Context context = Autograd.on(grid).open()) {
 *     context.backward(loss());
 *     optimizer.step(context);
 *   }
 *   optimizer.advanceSchedule();
 * }
 * }</pre>
 *
 * <p><b>Failures.</b> A step is a step of each parameter on its own, not one of all. If it fails
 * for one parameter, that one stays as it was, and all others, here and on the other workers, have
 * made theirs. If a worker was lost or did not answer in time, the others have made theirs. Nothing
 * is taken back, and to call {@link #step} again would let those that succeeded make a second one:
 * go on with the next step, or go back to a {@link Checkpoint}. Where clipping is on, nothing is
 * changed before all norms are known, so what fails there (a lost worker, a gradient with a NaN)
 * leaves every parameter as it was.
 *
 * <p>Cost: a call to each owner per step, all at once; twice that with clipping. No tensor travels.
 *
 * <p>Threads: safe. Steps in several contexts may run at once, also of several optimizers and from
 * several workers: those on one parameter follow each other, those on different ones run side by
 * side. {@link #restore(Checkpoint)} and {@link #checkpoint} are no exact moment while steps run.
 */
public final class DistributedOptimizer extends GroupedOptimizer implements AutoCloseable {
  private final OwnerCalls owners = new OwnerCalls();

  private DistributedOptimizer(Builder builder) {
    super(builder);
  }

  /** Makes an optimizer of one group, without schedule and clipping: {@link Builder#create()}. */
  public static DistributedOptimizer create(
      GridAccess grid, Optimizer optimizer, List<RRef<Variable>> parameters) {
    return over(grid).parameters(optimizer, parameters).create();
  }

  /** Returns a builder of an optimizer for parameters of the workers of a grid. */
  public static Builder over(GridAccess grid) {
    return new Builder(grid);
  }

  /** Creates the parts on the owners, and asks for their sizes, which fails if one failed. */
  private void make(Builder builder) {
    List<RRef<Variable>> parameters = builder.parameters;
    List<Optimizer> optimizers = List.copyOf(builder.optimizers);
    Map<Worker, List<Integer>> byOwner = new LinkedHashMap<>();
    for (int i = 0; i < parameters.size(); i++) {
      byOwner.computeIfAbsent(parameters.get(i).owner(), owner -> new ArrayList<>()).add(i);
    }
    byOwner.forEach(
        (owner, own) -> {
          int[] numbers = own.stream().mapToInt(Integer::intValue).toArray();
          int[] groups = own.stream().mapToInt(builder.groups::get).toArray();
          List<RRef<Variable>> theirs = own.stream().map(parameters::get).toList();
          owners.add(
              RRefs.on(builder.grid)
                  .remote(owner, ParameterService.MAKE, optimizers, groups, numbers, theirs)
                  .keep(),
              own);
        });
    owners.all("the optimizer", ParameterService.SIZE);
  }

  /**
   * Makes a step with the gradients of a context, and waits for all owners. The comment of this
   * class describes the effects of a failure.
   *
   * @throws GridException the first failure in the order of the owners, with the others as
   *     suppressed; it names worker and parameter. CONTEXT_CLOSED; RREF_LOST if an owner was lost;
   *     USER_ERROR if an optimizer of your own threw; BAD_ARGUMENT if a gradient does not fit, or
   *     has no finite norm where it should be clipped
   */
  public StepResult step(Context context) {
    return step(
        () -> gradientNorm(context),
        (rates, scale) ->
            context
                .within(() -> owners.all("the step", ParameterService.STEP, rates, scale))
                .stream()
                .mapToInt(Integer::intValue)
                .sum());
  }

  /**
   * Returns the norm of all gradients of a context together. Its bits do not depend on the owners.
   *
   * @throws GridException as {@link #step}
   */
  public double gradientNorm(Context context) {
    List<double[]> norms =
        context.within(() -> owners.all("the norm of gradients", ParameterService.NORMS));
    return Clipping.total(owners.inOrder(norms), owners::describe);
  }

  /**
   * Returns the optimizer's state in the order of the parameters. Fetches them one by one.
   *
   * @throws GridException the first failure
   */
  public OptimizerState state() {
    return state(snapshots(false));
  }

  private OptimizerState state(List<ParameterSnapshot> snapshots) {
    return new OptimizerState(
        snapshots.stream().map(ParameterSnapshot::state).toList(), schedulePosition());
  }

  /**
   * Returns the parameters' values and the optimizer's state, which travel one by one.
   *
   * @param extras further tensors to keep, such as the epoch
   * @throws GridException the first failure
   */
  public Checkpoint checkpoint(Map<String, Tensor> extras) {
    List<ParameterSnapshot> snapshots = snapshots(true);
    List<Tensor> values =
        snapshots.stream().map(each -> Objects.requireNonNull(each.value(), "value")).toList();
    return new Checkpoint(values, state(snapshots), extras);
  }

  private List<ParameterSnapshot> snapshots(boolean withValues) {
    List<ParameterSnapshot> snapshots = new ArrayList<>();
    for (int i = 0; i < owners.parameters(); i++) {
      snapshots.add(owners.ofParameter(i, "the export", ParameterService.EXPORT, withValues));
    }
    return snapshots;
  }

  /**
   * Restores a state that {@link #state()} of an optimizer for the same parameters returned, as
   * {@link #restore(Checkpoint)}; the parameters keep their values.
   */
  public void restore(OptimizerState state) {
    restore(null, state);
  }

  /**
   * Restores the parameters and the optimizer's state from a checkpoint. The parameters must be
   * those of the checkpoint in the same order; their owners may differ. First every owner checks
   * and stages what it receives, then all commit.
   *
   * @throws GridException BAD_ARGUMENT if it does not fit: nothing has changed then. If a worker is
   *     lost in the last part, the others have been restored: restore again
   */
  public void restore(Checkpoint checkpoint) {
    restore(checkpoint.parameters(), checkpoint.optimizer());
  }

  private void restore(@Nullable List<Tensor> values, OptimizerState state) {
    restore(
        state,
        owners.parameters(),
        i -> {
          Tensor value = values == null ? null : values.get(i);
          ParameterSnapshot each = new ParameterSnapshot(value, state.parameters().get(i));
          owners.ofParameter(i, "the check of the state to restore", ParameterService.STAGE, each);
        },
        () -> owners.all("discarding the failed restore", ParameterService.DISCARD),
        () -> owners.all("the restore", ParameterService.COMMIT));
  }

  /** Drops the optimizer's state on the owners. The parameters stay. */
  @Override
  public void close() {
    owners.close();
  }

  /** Builds an optimizer. Not safe for several threads. */
  public static final class Builder extends OptimizerBuilder<RRef<Variable>, Builder> {
    private final GridAccess grid;

    private Builder(GridAccess grid) {
      this.grid = grid;
    }

    @Override
    Builder self() {
      return this;
    }

    /**
     * Makes the optimizer on every owner of a parameter, and waits for all.
     *
     * @throws GridException BAD_ARGUMENT without parameters, or if one is there twice or needs no
     *     gradient; what {@link Optimizer#newState} threw. Nothing is left of it then
     */
    public DistributedOptimizer create() {
      DistributedOptimizer result = new DistributedOptimizer(this);
      try {
        result.make(this);
        return result;
      } catch (Throwable e) {
        result.close();
        throw e;
      }
    }
  }
}
