package io.hazelgrad.autograd;

import io.hazelgrad.autograd.internal.context.OperatorCalls;
import io.hazelgrad.autograd.internal.tape.ThreadScope;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A scope in which the first NaN or infinity fails what made it, instead of spreading: an operation
 * at once, and a gradient in the backward pass, with the operation, the place in the program where
 * that was called, and the worker.
 *
 * <pre>{@code
 * AnomalyMode.within(() -> train(batch)); // Fails: the gradient of sqrt, called at Model.java:17, ...
 * }</pre>
 *
 * <p>It also finds out whether a tensor that an operation saved for its gradient has changed since,
 * as it does when the program writes into an array that it had given to {@link Tensor#wrap}.
 *
 * <p>A {@link Context} that is opened within the scope takes it along: calls within the context are
 * checked on all workers. Costs a look at each element of each result and gradient, and a walk up
 * the stack for each operation: for the search for an error, not for training.
 *
 * <p>Threads: a scope is of the thread that began it, which must close it; closing twice does
 * nothing. Scopes nest.
 */
public final class AnomalyMode implements AutoCloseable {
  private static final ThreadScope SCOPE = new ThreadScope();

  /** Between an operation and who asked for it. */
  private static final Set<Class<?>> BETWEEN =
      Set.of(AnomalyMode.class, Variable.class, OperatorCalls.class);

  private final ThreadScope.Open open = SCOPE.begin();

  private AnomalyMode() {}

  /** Begins a scope on this thread. */
  public static AnomalyMode begin() {
    return new AnomalyMode();
  }

  /** Computes something within a scope. */
  public static <T> T within(Supplier<T> work) {
    return SCOPE.within(work);
  }

  /** Returns whether this thread is in a scope. */
  public static boolean isActive() {
    return SCOPE.isActive();
  }

  @Override
  public void close() {
    open.close();
  }

  /** Returns where the operation that runs now was called. */
  static String place() {
    StackWalker.StackFrame caller =
        StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
            .walk(
                frames ->
                    frames
                        .filter(frame -> !BETWEEN.contains(frame.getDeclaringClass()))
                        .findFirst()
                        .orElseThrow());
    return caller.getClassName().startsWith("io.hazelgrad.grid.")
        ? "by a call of the operator"
        : "at " + caller.toStackTraceElement();
  }

  /** Checks what an operation gave. */
  static void check(String operation, String place, Tensor output) {
    String found = find(output);
    if (found != null) {
      throw new GridException(
          Status.BAD_VALUE, operation + ", called " + place + ", gave " + found);
    }
  }

  /** Checks the gradients that an operation gave. */
  public static void check(List<@Nullable Tensor> gradients) {
    for (int i = 0; i < gradients.size(); i++) {
      Tensor gradient = gradients.get(i);
      String found = gradient == null ? null : find(gradient);
      if (found != null) {
        throw new GridException(
            Status.PASS_FAILED, "the gradient of its input " + i + " has " + found);
      }
    }
  }

  private static @Nullable String find(Tensor tensor) {
    if (!tensor.dtype().isFloating()) {
      return null;
    }
    double[] values = tensor.toDoubles();
    for (int i = 0; i < values.length; i++) {
      if (!Double.isFinite(values[i])) {
        return values[i] + " as element " + i + " of " + tensor;
      }
    }
    return null;
  }
}
