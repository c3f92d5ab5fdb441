package io.hazelgrad.grid.internal.plane.segment;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the JVM for a garbage collection when tensors of this process hold much shared memory. They
 * are tiny objects to the collector, so it may not run for long, while senders run out of memory.
 * The JDK does the same for its direct buffers. A collection starts when the held bytes have
 * doubled since the last one, from {@link #FIRST} on, and when a sender asks for one. Collections
 * take at most a tenth of the time.
 */
public final class GarbageCollectionTrigger {
  /** The held bytes below which no collection starts. */
  static final long FIRST = 512L << 20;

  private static final Logger LOG = LoggerFactory.getLogger(GarbageCollectionTrigger.class);
  private static final int PAUSE_FACTOR = 10;
  private static final int PAUSES = 20;
  private static final long PAUSE_NANOS = 1_000_000;

  private final Executor background;
  private final AtomicLong held = new AtomicLong();
  private final AtomicBoolean running = new AtomicBoolean();
  private volatile long threshold = FIRST;
  private volatile long notBefore = System.nanoTime();

  public GarbageCollectionTrigger(Executor background) {
    this.background = background;
  }

  /** Adds bytes that tensors hold; a negative number removes them. */
  public void hold(long bytes) {
    if (held.addAndGet(bytes) > threshold && bytes > 0) {
      collect();
    }
  }

  /** Returns the bytes of other workers' memory that tensors of this process hold. */
  public long heldBytes() {
    return held.get();
  }

  /** Starts a collection in the background if something is held and the last one is long ago. */
  public void collect() {
    if (held.get() > 0
        && System.nanoTime() - notBefore >= 0
        && running.compareAndSet(false, true)) {
      try {
        background.execute(this::run);
      } catch (RejectedExecutionException e) {
        running.set(false); // The grid is closing.
      }
    }
  }

  private void run() {
    try {
      long before = held.get();
      long start = System.nanoTime();
      System.gc();
      long took = System.nanoTime() - start;
      notBefore = System.nanoTime() + PAUSE_FACTOR * took;
      // A cleaner thread gives the memory back after the collection.
      for (int i = 0; i < PAUSES && held.get() >= before; i++) {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
      threshold = Math.max(FIRST, 2 * held.get());
      LOG.debug("collected in {} us: {} bytes were held, {} are", took / 1000, before, held.get());
    } finally {
      running.set(false);
    }
  }
}
