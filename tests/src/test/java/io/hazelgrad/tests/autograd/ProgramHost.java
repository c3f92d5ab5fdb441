package io.hazelgrad.tests.autograd;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.Worker;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Place where a program runs: over the workers of a grid, or in this thread, which takes the role
 * of every worker in turn. The same program so gives the result and the expected result.
 */
abstract class ProgramHost {
  private static final Map<Worker, Variable> WEIGHTS = new ConcurrentHashMap<>();
  private static final ThreadLocal<@Nullable ProgramHost> LOCAL = new ThreadLocal<>();

  /** Returns the world of the function that this thread runs. */
  static ProgramHost here() {
    ProgramHost local = LOCAL.get();
    return local == null ? of(Grid.current()) : local;
  }

  static ProgramHost of(Grid grid) {
    return new ProgramHost() {
      @Override
      Variable weight() {
        return WEIGHTS.computeIfAbsent(grid.worker(), worker -> newWeight(worker.name()));
      }

      @Override
      <A, R> CompletableFuture<R> async(String to, Function.F1<A, R> function, A a) {
        return grid.rpc().async(to, function, a);
      }

      @Override
      <A, B, R> CompletableFuture<R> async(String to, Function.F2<A, B, R> function, A a, B b) {
        return grid.rpc().async(to, function, a, b);
      }
    };
  }

  /** Returns a world in this thread, as seen by a worker. */
  static InOneThread inOneThread(String self) {
    return new InOneThread(self);
  }

  /** Creates a worker's weight, which depends on the worker's name only. */
  static Variable newWeight(String name) {
    double[] values = new Random(name.hashCode()).doubles(6, -1, 1).toArray();
    return Variable.parameter(Tensor.wrap(values, 2, 3));
  }

  /** Returns the weight of the worker that runs this. */
  abstract Variable weight();

  abstract <A, R> CompletableFuture<R> async(String to, Function.F1<A, R> function, A a);

  abstract <A, B, R> CompletableFuture<R> async(String to, Function.F2<A, B, R> function, A a, B b);

  <A, R> R call(String to, Function.F1<A, R> function, A a) {
    return async(to, function, a).join();
  }

  <A, B, R> R call(String to, Function.F2<A, B, R> function, A a, B b) {
    return async(to, function, a, b).join();
  }

  /** World with all workers in one thread. */
  static final class InOneThread extends ProgramHost {
    private final Map<String, Variable> weights = new HashMap<>();
    private String self;

    private InOneThread(String self) {
      this.self = self;
    }

    Variable weight(String worker) {
      return weights.computeIfAbsent(worker, ProgramHost::newWeight);
    }

    @Override
    Variable weight() {
      return weight(self);
    }

    @Override
    <A, R> CompletableFuture<R> async(String to, Function.F1<A, R> function, A a) {
      return at(to, () -> function.apply(a));
    }

    @Override
    <A, B, R> CompletableFuture<R> async(String to, Function.F2<A, B, R> function, A a, B b) {
      return at(to, () -> function.apply(a, b));
    }

    private <R> CompletableFuture<R> at(String to, Function.F0<R> call) {
      String before = self;
      ProgramHost outer = LOCAL.get();
      self = to;
      LOCAL.set(this);
      try {
        return CompletableFuture.completedFuture(call.apply());
      } catch (Exception e) {
        throw new AssertionError("a function failed in one thread", e);
      } finally {
        self = before;
        if (outer == null) {
          LOCAL.remove();
        } else {
          LOCAL.set(outer);
        }
      }
    }
  }
}
