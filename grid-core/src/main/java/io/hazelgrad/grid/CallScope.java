package io.hazelgrad.grid;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Collects the asynchronous calls that a thread starts while the scope is open, and waits for all
 * of them when it is closed.
 *
 * <pre>{@code
 * try (CallScope scope = CallScope.open()) {
 *   grid.rpc().async("a", Cache::refresh);
 *   grid.rpc().async("b", Cache::refresh);
 * } // Both have ended; if one failed, its GridException is thrown.
 * }</pre>
 *
 * <p>Calls of {@code Rpc.async} are collected, of every grid of this JVM; synchronous ones are not.
 * Scopes nest: a call belongs to the innermost one. A scope is closed by the thread that opened it;
 * scopes that were opened inside it and are still open end with it. The cost is a list entry for
 * each call.
 */
public final class CallScope implements AutoCloseable {
  private static final ThreadLocal<@Nullable CallScope> CURRENT = new ThreadLocal<>();
  private static final int PRUNE_AT = 1024;

  private final Thread thread = Thread.currentThread();
  private final Duration deadline;
  private final @Nullable CallScope outer;
  private final List<CompletableFuture<?>> calls = new ArrayList<>();
  private int collected;
  private int pruneAt = PRUNE_AT;
  private boolean closed;

  private CallScope(Duration deadline, @Nullable CallScope outer) {
    this.deadline = deadline;
    this.outer = outer;
  }

  /** Opens a scope whose end waits as long as its calls last. */
  public static CallScope open() {
    return open(Duration.ZERO);
  }

  /** Opens a scope whose end waits no longer than this, which is not negative; zero is no limit. */
  public static CallScope open(Duration deadline) {
    if (deadline.isNegative()) {
      throw new GridException(
          Status.BAD_ARGUMENT, "a deadline must not be negative, zero means none: " + deadline);
    }
    CallScope scope = new CallScope(deadline, CURRENT.get());
    CURRENT.set(scope);
    return scope;
  }

  /** Adds a future to the innermost scope of this thread, if there is one, and returns it. */
  public static <F extends CompletableFuture<?>> F collect(F call) {
    CallScope scope = CURRENT.get();
    if (scope != null) {
      scope.add(call);
    }
    return call;
  }

  private void add(CompletableFuture<?> call) {
    collected++;
    calls.add(call);
    if (calls.size() == pruneAt) { // What went well need not be kept until the end.
      calls.removeIf(each -> each.isDone() && !each.isCompletedExceptionally());
      pruneAt = Math.max(PRUNE_AT, 2 * calls.size());
    }
  }

  /** Returns how many calls were collected. */
  public int size() {
    return collected;
  }

  /**
   * Waits until all collected calls have ended. Closing twice does nothing.
   *
   * @throws GridException that of the first failed call in the order of their start, with the
   *     others suppressed; TIMEOUT if some did not end in time and go on; BAD_ARGUMENT on another
   *     thread than the one that opened it
   */
  @Override
  public void close() {
    if (Thread.currentThread() != thread) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "a CallScope is closed by the thread that opened it, %s, not by %s"
              .formatted(thread.getName(), Thread.currentThread().getName()));
    }
    if (!closed) {
      waitForAll(end(), deadline);
    }
  }

  /** Takes this scope, and those inside it, off the thread; returns their calls. */
  private List<CompletableFuture<?>> end() {
    List<CompletableFuture<?>> all = new ArrayList<>();
    CallScope inner = CURRENT.get();
    while (inner != null && inner != this) {
      all.addAll(0, inner.calls);
      inner.closed = true;
      inner = inner.outer;
    }
    all.addAll(0, calls);
    closed = true;
    if (outer == null) {
      CURRENT.remove();
    } else {
      CURRENT.set(outer);
    }
    return all;
  }

  /** Forgets what a called function left open on this thread. */
  public static void abandon() {
    if (CURRENT.get() != null) { // Else the entry stays for the thread's next call.
      CURRENT.remove();
    }
  }

  private static void waitForAll(List<CompletableFuture<?>> calls, Duration deadline) {
    long start = System.nanoTime();
    long limit = deadline.isZero() ? Long.MAX_VALUE : deadline.toNanos();
    GridException first = null;
    int late = 0;
    for (CompletableFuture<?> call : calls) {
      long left = limit == Long.MAX_VALUE ? limit : limit - (System.nanoTime() - start);
      if (!GridProvider.INSTANCE.awaitEnd(call, Math.max(0, left))) {
        late++;
        continue;
      }
      try {
        var unused = call.getNow(null);
      } catch (CompletionException | CancellationException e) {
        GridException failure = GridProvider.INSTANCE.failure(e);
        if (first == null) {
          first = failure;
        } else {
          first.addSuppressed(failure);
        }
      }
    }
    if (late > 0) {
      String text =
          "%s of %s calls did not end within the %s ms of their scope; they go on"
              .formatted(late, calls.size(), deadline.toMillis());
      GridException timeout = new GridException(Status.TIMEOUT, text, true, null, null);
      if (first != null) {
        timeout.addSuppressed(first);
      }
      throw timeout;
    }
    if (first != null) {
      throw first;
    }
  }
}
