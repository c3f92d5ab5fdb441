package io.hazelgrad.grid.internal.collective;

import io.hazelgrad.grid.spi.GridContext;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the rounds of a collective one after the other, on a thread of its own or on a thread that
 * waits for one of them: that saves waking another thread.
 *
 * <p>The lock is held while a round runs. After a thread has released it, it wakes the queue's own
 * thread if rounds are left, so none is forgotten. Threads: safe.
 */
final class RoundQueue {
  private final GridContext context;
  private final Executor callbacks;
  private final Queue<Runnable> rounds = new ConcurrentLinkedQueue<>();
  private final ReentrantLock running = new ReentrantLock();
  private final Thread thread;
  private volatile boolean closed;

  RoundQueue(GridContext context, String threadName) {
    this.context = context;
    this.callbacks = context.newFuture().defaultExecutor();
    this.thread = new Thread(this::runRounds, threadName);
    thread.setDaemon(true);
    thread.start();
  }

  /** Adds a round that returns its result or throws. */
  <T extends @Nullable Object> CompletableFuture<T> add(Supplier<T> round) {
    RoundFuture<T> future = new RoundFuture<>();
    rounds.add(
        () -> {
          try {
            future.complete(round.get());
          } catch (Throwable e) { // The waiting thread handles it.
            future.completeExceptionally(e);
          }
        });
    LockSupport.unpark(thread);
    return future;
  }

  private void runRounds() {
    while (!closed || !rounds.isEmpty()) {
      if (!runNext()) {
        LockSupport.park(this);
      }
    }
  }

  /** Runs the next round; returns false if there is none or another thread runs one. */
  private boolean runNext() {
    if (rounds.isEmpty() || !running.tryLock()) {
      return false;
    }
    try {
      Runnable round = rounds.poll();
      if (round != null) {
        round.run();
      }
      return true;
    } finally {
      running.unlock();
    }
  }

  /** Runs rounds on the thread that waits, until its own has ended or another thread runs one. */
  private void help(CompletableFuture<?> future) {
    boolean ran = false;
    while (!future.isDone() && runNext()) {
      ran = true;
    }
    if (ran && !rounds.isEmpty()) {
      LockSupport.unpark(thread);
    }
  }

  /** Ends the thread when the rounds that are left have ended. */
  void close() {
    closed = true;
    LockSupport.unpark(thread);
  }

  /** The future of a round, and of what hangs on to it. */
  private final class RoundFuture<T extends @Nullable Object> extends CompletableFuture<T> {
    @Override
    public <U extends @Nullable Object> CompletableFuture<U> newIncompleteFuture() {
      return new RoundFuture<>();
    }

    @Override
    public Executor defaultExecutor() {
      return callbacks;
    }

    @Override
    public T join() {
      return isDone()
          ? super.join()
          : context.waiting(
              () -> {
                help(this);
                return super.join();
              });
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
      if (!isDone()) {
        context.waiting(
            () -> {
              help(this);
              return true;
            });
      }
      return super.get();
    }
  }
}
