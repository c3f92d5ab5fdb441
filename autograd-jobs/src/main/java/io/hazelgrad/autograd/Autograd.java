package io.hazelgrad.autograd;

import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.GridException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Automatic differentiation over the workers of a grid. Implemented by Hazelgrad only.
 *
 * <pre>{@code
 * Autograd autograd = Autograd.on(grid);
 * try (Context context = autograd.open()) {
 *   Variable loss = grid.rpc().sync("w1", Model::forward, x).mean();
 *   context.backward(loss);
 *   Tensor gradient = context.gradient(x);
 * }
 * }</pre>
 *
 * <p>Threads: safe.
 */
public interface Autograd {
  /** Returns the autograd service of a grid, or of a client of a grid. */
  static Autograd on(GridAccess grid) {
    return grid.service(Autograd.class);
  }

  /**
   * Opens a context and binds it to this thread until it is closed. Calls of this thread are
   * recorded while it is bound, and so are the calls that these make on other workers.
   *
   * @throws GridException BAD_ARGUMENT if this thread is in a context already
   */
  Context open();

  /**
   * Returns the context bound to this thread, or null. It was opened here or by the caller of the
   * function that runs. Closing the result does nothing.
   */
  @Nullable Context current();

  /** Returns the number of open contexts that this worker knows. */
  int contextCount();

  /** Returns the number of backward passes that wait for their decision on this worker. */
  int passCount();

  /**
   * Returns the open contexts of the whole grid, in no order. Contexts opened within the last
   * second may be missing. Reads a distributed map.
   */
  List<ContextInfo> openContexts();

  /**
   * Returns the running backward passes of the whole grid, and some of those that ended within the
   * last hour: of each worker and client the latest, the latest failed and the slowest, see {@link
   * HistoryOptions}. In no order, and up to one second late. Reads a distributed map.
   */
  List<PassInfo> recentPasses();
}
