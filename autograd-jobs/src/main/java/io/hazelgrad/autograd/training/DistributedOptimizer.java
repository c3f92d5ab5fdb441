package io.hazelgrad.autograd.training;

import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.optim.Optimizer;
import io.hazelgrad.autograd.optim.Schedule;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * Optimizes parameters that live on many workers. What it remembers of a parameter lives with the
 * parameter's owner, and a step uses the gradients that the owner has in a context.
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
 * <p>Cost: a call to each owner per step, all at once; twice that with clipping. Tensors do not
 * travel.
 *
 * <p>Threads: safe. Steps in several contexts may run at once, also of several optimizers and from
 * several workers: those on one parameter follow each other, those on different ones run side by
 * side. {@link #restore(Checkpoint)} and {@link #checkpoint} are no exact moment while steps run.
 */
public final class DistributedOptimizer implements AutoCloseable {
  private final OwnerCalls owners;
  private final LearningRates rates;
  private final double maxNorm;

  private DistributedOptimizer(Builder builder) {
    this.owners = new OwnerCalls();
    this.rates = new LearningRates(builder.groups.optimizers(), builder.schedule);
    this.maxNorm = builder.maxNorm;
  }

  /**
   * Makes an optimizer of one group, without schedule and clipping, as {@link Builder#create()}.
   */
  public static DistributedOptimizer create(
      GridAccess grid, Optimizer optimizer, List<RRef<Variable>> parameters) {
    return over(grid).parameters(optimizer, parameters).create();
  }

  /** Begins an optimizer for parameters of the workers of a grid. */
  public static Builder over(GridAccess grid) {
    return new Builder(grid);
  }

  /** Makes the owners' parts; asking each for its size says whether it is there. */
  private void make(GridAccess grid, ParameterGroups<RRef<Variable>> groups) {
    List<RRef<Variable>> parameters = groups.parameters();
    Map<Worker, List<Integer>> byOwner = new LinkedHashMap<>();
    for (int i = 0; i < parameters.size(); i++) {
      byOwner.computeIfAbsent(parameters.get(i).owner(), owner -> new ArrayList<>()).add(i);
    }
    byOwner.forEach(
        (owner, own) -> {
          int[] numbers = own.stream().mapToInt(Integer::intValue).toArray();
          int[] of = own.stream().mapToInt(groups::group).toArray();
          List<RRef<Variable>> theirs = own.stream().map(parameters::get).toList();
          owners.add(
              RRefs.on(grid)
                  .remote(owner, ParameterService.MAKE, groups.optimizers(), of, numbers, theirs)
                  .keep(),
              own);
        });
    owners.all("the optimizer", ParameterService.SIZE);
  }

  /**
   * Makes a step with the gradients of a context, and waits for all owners. What a failure leaves
   * is said at the head of this class.
   *
   * @throws GridException the first failure in the order of the owners, with the others as
   *     suppressed; it names worker and parameter. CONTEXT_CLOSED; RREF_LOST if an owner was lost;
   *     USER_ERROR if an optimizer of your own threw; BAD_ARGUMENT if a gradient does not fit, or
   *     has no finite norm where it should be clipped
   */
  public StepResult step(Context context) {
    double[] now = rates.now();
    if (maxNorm == Double.POSITIVE_INFINITY) {
      return new StepResult(step(context, now, 1), OptionalDouble.empty());
    }
    double norm = gradientNorm(context);
    int changed = step(context, now, Clipping.scale(norm, maxNorm));
    return new StepResult(changed, OptionalDouble.of(norm));
  }

  private int step(Context context, double[] now, double scale) {
    return context.within(() -> owners.all("the step", ParameterService.STEP, now, scale)).stream()
        .mapToInt(Integer::intValue)
        .sum();
  }

  /**
   * Returns the norm of all gradients of a context together. Its bits do not depend on who owns
   * which parameter.
   *
   * @throws GridException as {@link #step}
   */
  public double gradientNorm(Context context) {
    List<double[]> norms =
        context.within(() -> owners.all("the norm of gradients", ParameterService.NORMS));
    return Clipping.total(owners.inOrder(norms), owners::describe);
  }

  /** Moves the schedule on by one step; as torch's {@code scheduler.step()}. */
  public void advanceSchedule() {
    rates.advance();
  }

  /** Returns the learning rate of each group at the next step. */
  public List<Double> learningRates() {
    return rates.list();
  }

  /**
   * Returns what the optimizer remembers, in the order in which the parameters were given. Fetches
   * one parameter's after the other.
   *
   * @throws GridException the first failure
   */
  public OptimizerState state() {
    return state(snapshots(false));
  }

  private OptimizerState state(List<ParameterSnapshot> snapshots) {
    return new OptimizerState(
        snapshots.stream().map(ParameterSnapshot::state).toList(), rates.position());
  }

  /**
   * Returns the parameters' values and what the optimizer remembers. All of it comes to this
   * worker, one parameter after the other.
   *
   * @param extras what else belongs to the moment, such as the epoch
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
   * Takes what {@link #state()} of an optimizer for the same parameters returned; their values stay
   * as they are. As {@link #restore(Checkpoint)} otherwise.
   */
  public void restore(OptimizerState state) {
    restore(null, state);
  }

  /**
   * Gives the parameters the values of a checkpoint, and makes this remember what it remembers. The
   * parameters must be those of the checkpoint, in the same order; who owns them may differ. First
   * every owner checks and keeps what it is sent, then all make it theirs.
   *
   * @throws GridException BAD_ARGUMENT if it does not fit: nothing has changed then. If a worker is
   *     lost in the last part, the others have been restored: restore again
   */
  public void restore(Checkpoint checkpoint) {
    restore(checkpoint.parameters(), checkpoint.optimizer());
  }

  private void restore(@Nullable List<Tensor> values, OptimizerState state) {
    if (state.parameters().size() != owners.parameters()) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "this optimizer has "
              + owners.parameters()
              + " parameters, what shall be restored has "
              + state.parameters().size());
    }
    try {
      for (int i = 0; i < owners.parameters(); i++) {
        ParameterSnapshot each =
            new ParameterSnapshot(values == null ? null : values.get(i), state.parameters().get(i));
        owners.ofParameter(i, "the check of what shall be restored", ParameterService.STAGE, each);
      }
    } catch (GridException e) {
      try {
        owners.all("to forget what could not be restored", ParameterService.DISCARD);
      } catch (GridException also) {
        e.addSuppressed(also);
      }
      throw e;
    }
    owners.all("to restore", ParameterService.COMMIT);
    rates.position(state.scheduleStep());
  }

  /** Lets the owners forget what this remembers; the parameters stay. */
  @Override
  public void close() {
    owners.close();
  }

  /** Says what to optimize and how. Not safe for several threads. */
  public static final class Builder {
    private final GridAccess grid;
    private final ParameterGroups<RRef<Variable>> groups = new ParameterGroups<>();
    private Schedule schedule = Schedule.constant();
    private double maxNorm = Double.POSITIVE_INFINITY;

    private Builder(GridAccess grid) {
      this.grid = grid;
    }

    /** Adds a group of parameters with an optimizer of its own. */
    public Builder parameters(Optimizer optimizer, List<RRef<Variable>> parameters) {
      groups.add(optimizer, parameters);
      return this;
    }

    /** Sets the schedule of the learning rates of all groups; without one they stay. */
    public Builder schedule(Schedule newSchedule) {
      schedule = newSchedule;
      return this;
    }

    /**
     * Scales gradients down before each step so that the norm of all gradients together, on all
     * workers, is at most this.
     */
    public Builder clipNorm(double newMaxNorm) {
      maxNorm = Clipping.checkMaxNorm(newMaxNorm);
      return this;
    }

    /**
     * Makes the optimizer on every owner of a parameter, and waits for all.
     *
     * @throws GridException BAD_ARGUMENT without parameters, or if one is there twice or needs no
     *     gradient; what {@link Optimizer#newState} threw. Nothing is left of it then
     */
    public DistributedOptimizer create() {
      groups.check();
      DistributedOptimizer result = new DistributedOptimizer(this);
      try {
        result.make(grid, groups);
        return result;
      } catch (Throwable e) {
        result.close();
        throw e;
      }
    }
  }
}
