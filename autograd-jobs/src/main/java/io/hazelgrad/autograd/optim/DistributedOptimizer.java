package io.hazelgrad.autograd.optim;

import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Optimizes parameters that live on many workers: one {@link LocalOptimizer} on each owner, which
 * uses the gradients that its worker has. Holds references to these; closing releases them.
 *
 * <p>Threads: safe.
 */
public final class DistributedOptimizer implements AutoCloseable {
  private static final Function<LocalOptimizer> MAKE =
      Function.named(LocalOptimizer.class, "new", Optimizer.class, List.class);
  private static final Function<Integer> SIZE = Function.named(LocalOptimizer.class, "size");
  private static final Function<Integer> STEP = Function.named(LocalOptimizer.class, "step");

  private final List<RRef<LocalOptimizer>> optimizers;

  private DistributedOptimizer(List<RRef<LocalOptimizer>> optimizers) {
    this.optimizers = optimizers;
  }

  /**
   * Makes an optimizer on every owner of a parameter, and waits for all.
   *
   * @throws GridException BAD_ARGUMENT without parameters, or if one needs no gradient
   */
  public static DistributedOptimizer create(
      Grid grid, Optimizer optimizer, List<RRef<Variable>> parameters) {
    if (parameters.isEmpty()) {
      throw new GridException(Status.BAD_ARGUMENT, "no parameters to optimize were given");
    }
    Map<Worker, List<RRef<Variable>>> byOwner = new LinkedHashMap<>();
    parameters.forEach(
        each -> byOwner.computeIfAbsent(each.owner(), owner -> new ArrayList<>()).add(each));
    List<RRef<LocalOptimizer>> made = new ArrayList<>();
    DistributedOptimizer result = new DistributedOptimizer(made);
    try {
      byOwner.forEach(
          (owner, own) -> made.add(RRefs.on(grid).remote(owner, MAKE, optimizer, own).keep()));
      // The creation only says that there was an answer; asking the object says whether it is
      // there.
      joinAll(result.all(SIZE));
      return result;
    } catch (Throwable e) {
      result.close();
      throw e;
    }
  }

  /**
   * Makes a step on every owner with the gradients of a context, and waits for all. If one fails,
   * the others have made their step all the same.
   *
   * @return how many parameters were changed; those without a gradient are not
   * @throws GridException the first failure, in the order of the parameters' owners
   */
  public int step(Context context) {
    return joinAll(context.within(() -> all(STEP)));
  }

  /** Calls a function of every optimizer, also when a call to one cannot even be sent. */
  private List<CompletableFuture<Integer>> all(Function<Integer> function) {
    List<CompletableFuture<Integer>> calls = new ArrayList<>();
    for (RRef<LocalOptimizer> optimizer : optimizers) {
      try {
        calls.add(optimizer.async(function));
      } catch (GridException e) {
        calls.add(CompletableFuture.failedFuture(e));
      }
    }
    return calls;
  }

  /** Waits for all, then returns the sum or throws the first failure. */
  private static int joinAll(List<CompletableFuture<Integer>> futures) {
    int sum = 0;
    GridException failure = null;
    for (CompletableFuture<Integer> future : futures) {
      try {
        sum += future.join();
      } catch (CompletionException e) {
        if (failure == null) {
          failure =
              e.getCause() instanceof GridException known
                  ? known
                  : new GridException(Status.INTERNAL, "an owner failed: " + e, true, null, e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
    return sum;
  }

  /** Releases the optimizers on the owners; the parameters stay. */
  @Override
  public void close() {
    optimizers.forEach(RRef::close);
  }
}
