package io.hazelgrad.grid.internal.serve;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.internal.concurrent.Permit;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs called functions: a few at once, the others wait in a queue of requests, not of threads.
 *
 * <p>To wake a thread takes longer than a short function. So only one thread at a time is on its
 * way to the queue; when it is there, and there is more to do than it takes, it calls the next one.
 * Functions that are short are then run by few threads, without a wake-up for each, and long ones
 * have all permits at work after a few wake-ups.
 *
 * <p>A thread runs only with one of the permits. One that waits inside the grid gives its permit
 * up, which goes to another thread that came back from its wait, or else starts the next request of
 * the queue on a fresh thread; so there may be many more threads than permits, but a limited
 * number. A thread that came back goes before the queue, since it holds what others may wait for.
 *
 * <p>A guest is a thread that is none of the pool's own, such as one of a Hazelcast executor, and
 * runs the task that it brings. It saves a wake-up when nothing else is at work. There is one guest
 * at a time, because its task may wait inside the grid for long.
 *
 * <p>Invariants, all under the lock: permits are free only if nobody came back, and nothing is
 * queued or a thread is on its way that will look; running threads and free permits together are
 * the number of permits; a permit is handed over, never released for whoever is quicker. So no
 * request waits while a permit is free, and nobody is overtaken for ever.
 *
 * <p>Threads: safe.
 */
public final class CallPool {
  private static final long IDLE_SECONDS = 30;

  /** A thread whose wait is over and which has no permit yet. */
  private static final class Returning {
    private final Thread thread = Thread.currentThread();
    private volatile boolean granted;
  }

  enum Admission {
    ACCEPTED,
    FULL,
    /** The JVM can start no thread now, and none is at work that would take the task. */
    NO_THREAD,
    CLOSED
  }

  private static final Logger LOG = LoggerFactory.getLogger(CallPool.class);

  private final int permits;
  private final int maxQueued;
  private final int maxWaiting;
  private final ExecutorService threads;
  private final Permit permit =
      new Permit() {
        @Override
        public void giveUp() {
          CallPool.this.giveUp();
        }

        @Override
        public void takeBack() {
          CallPool.this.takeBack();
        }
      };
  private final Object lock = new Object();
  private final Set<Runnable> queue = new LinkedHashSet<>();
  private final Queue<Returning> returning = new ArrayDeque<>();

  /** The guest, while it runs its task. */
  private @Nullable Thread guest;

  private int free;
  private int waiting;

  /** True while a thread was started that has not reached the queue. */
  private boolean coming;

  private boolean closed;

  public CallPool(int permits, int maxQueued, int maxWaiting, ThreadFactory factory) {
    this.permits = permits;
    this.free = permits;
    this.maxQueued = maxQueued;
    this.maxWaiting = maxWaiting;
    this.threads =
        new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            factory);
  }

  /** Brings a task; it runs once, on another thread. */
  Admission submit(Runnable task) {
    return submit(task, maxQueued);
  }

  /** Brings a task that was let in before: the queue is never too full for it. */
  Admission resubmit(Runnable task) {
    return submit(task, Integer.MAX_VALUE);
  }

  /** Runs a task on this thread, as a guest; false if it did not, because others are at work. */
  boolean runHere(Runnable task) {
    synchronized (lock) {
      if (closed || free < permits || coming || guest != null) {
        return false;
      }
      guest = Thread.currentThread();
      free--;
    }
    Permit before = Permit.hold(permit);
    try {
      task.run();
    } finally {
      var unused = Permit.hold(before);
      leave();
    }
    return true;
  }

  /**
   * The guest has run its task. Another thread runs the next one: the guest has a reply to send.
   */
  private void leave() {
    Runnable left;
    synchronized (lock) {
      guest = null;
      lock.notifyAll();
      left = next();
      if (left != null) { // So the pool is not closed: then nothing is queued.
        Runnable task = left;
        try {
          threads.execute(() -> work(task));
          left = null;
        } catch (OutOfMemoryError e) {
          LOG.debug("no thread can be started; this one goes on", e);
        }
      }
    }
    if (left != null) {
      work(left);
    }
  }

  /** Returns whether this thread is the guest. */
  public boolean isGuest() {
    synchronized (lock) {
      return guest == Thread.currentThread();
    }
  }

  private Admission submit(Runnable task, int limit) {
    synchronized (lock) {
      if (closed) {
        return Admission.CLOSED;
      }
      if (free == 0 || coming) {
        if (queue.size() >= (long) limit + free) {
          return Admission.FULL;
        }
        queue.add(task);
        return Admission.ACCEPTED;
      }
      try {
        call(task); // Under the lock, or it may be closed meanwhile.
      } catch (OutOfMemoryError e) {
        if (free == permits) {
          return Admission.NO_THREAD;
        }
        queue.add(task); // The next thread that ends a task takes it.
      }
      return Admission.ACCEPTED;
    }
  }

  /** Calls a thread, which gets a free permit; does nothing if that fails. */
  private void call(Runnable task) {
    threads.execute(
        () -> {
          try {
            come();
          } finally { // Whether or not another thread could be made.
            work(task);
          }
        });
    free--;
    coming = true;
  }

  /** A thread that was called is there. */
  private void come() {
    synchronized (lock) {
      coming = false;
      if (free > 0 && !queue.isEmpty()) {
        Runnable next = queue.iterator().next();
        call(next);
        queue.remove(next);
      }
    }
  }

  /** Takes a task out of the queue; false if it is not there. */
  boolean remove(Runnable task) {
    synchronized (lock) {
      return queue.remove(task);
    }
  }

  /** Returns the number of permits that nobody has. */
  public int free() {
    synchronized (lock) {
      return free;
    }
  }

  /** Returns the number of threads that wait inside the grid, without a permit. */
  public int waiting() {
    synchronized (lock) {
      return waiting;
    }
  }

  /** Returns the number of tasks in the queue. */
  public int queued() {
    synchronized (lock) {
      return queue.size();
    }
  }

  private void work(Runnable first) {
    Permit before = Permit.hold(permit);
    Runnable task = first;
    while (task != null) {
      try {
        task.run();
      } catch (Throwable e) { // The permit must go on, even if this error cannot be logged.
        log(e);
      }
      task = next();
    }
    var unused = Permit.hold(before);
  }

  private static void log(Throwable thrown) {
    try {
      LOG.error("a task failed inside Hazelgrad", thrown);
    } catch (RuntimeException | Error e) {
      // There is no memory even for this; the deadline ends the call.
    }
  }

  /** This thread's permit goes to one that came back, to the next task, or is free. */
  private @Nullable Runnable next() {
    synchronized (lock) {
      Returning back = returning.poll();
      if (back != null) {
        grant(back);
        return null;
      }
      if (queue.isEmpty()) {
        free++;
        return null;
      }
      return first();
    }
  }

  /** Takes the first task out of the queue, which has one. */
  private Runnable first() {
    Iterator<Runnable> tasks = queue.iterator();
    Runnable task = tasks.next();
    tasks.remove();
    return task;
  }

  private void grant(Returning back) {
    waiting--;
    back.granted = true;
    LockSupport.unpark(back.thread);
  }

  private void giveUp() {
    synchronized (lock) {
      if (waiting >= maxWaiting) {
        throw new GridException(
            Status.REJECTED,
            ("no room to wait: %s called functions of this worker wait inside the grid already, and"
                    + " HazelgradConfig.maxWaiting allows no more; let functions return a"
                    + " CompletionStage in place of waiting")
                .formatted(waiting));
      }
      waiting++;
      Runnable task = next();
      if (task != null) { // So the pool is not closed: then nothing is queued.
        try {
          threads.execute(() -> work(task));
        } catch (OutOfMemoryError e) {
          waiting--;
          queue.add(task);
          throw new GridException(
              Status.REJECTED, "no room to wait: no thread can be started for others", e);
        }
      }
    }
  }

  private void takeBack() {
    Returning me;
    synchronized (lock) {
      if (free > 0) {
        free--;
        waiting--;
        return;
      }
      me = new Returning();
      returning.add(me);
    }
    boolean interrupted = false;
    while (!me.granted) {
      LockSupport.park(this);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Lets nothing in any more; what runs goes on. */
  public void close() {
    synchronized (lock) {
      closed = true;
      queue.clear();
      threads.shutdown();
    }
  }

  /** Waits until all threads have ended, interrupted if need be. */
  public void awaitEnd(long seconds) throws InterruptedException {
    if (!threads.awaitTermination(seconds, TimeUnit.SECONDS) || !awaitGuest(seconds)) {
      threads.shutdownNow();
      synchronized (lock) {
        if (guest != null) {
          guest.interrupt();
        }
      }
      threads.awaitTermination(seconds, TimeUnit.SECONDS);
      var unused = awaitGuest(seconds);
    }
  }

  private boolean awaitGuest(long seconds) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    synchronized (lock) {
      for (long left = end - System.nanoTime();
          guest != null && left > 0;
          left = end - System.nanoTime()) {
        TimeUnit.NANOSECONDS.timedWait(lock, left);
      }
      return guest == null;
    }
  }
}
