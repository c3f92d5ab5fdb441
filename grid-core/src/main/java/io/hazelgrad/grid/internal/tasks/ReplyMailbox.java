package io.hazelgrad.grid.internal.tasks;

import io.hazelgrad.grid.internal.tasks.ReplyBatch.LateReply;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The replies that a worker keeps for one client until the client says that they have arrived.
 *
 * <p>Threads: safe.
 */
final class ReplyMailbox {
  private record Kept(long position, LateReply reply) {}

  /** The bytes in all mailboxes of the worker. */
  private final AtomicLong bytes;

  private final Deque<Kept> kept = new ArrayDeque<>();
  private long usedNanos = System.nanoTime();
  private boolean closed;

  ReplyMailbox(AtomicLong bytes) {
    this.bytes = bytes;
  }

  /** Keeps a reply; {@code position} is greater than that of every reply before it. */
  synchronized void add(long position, LateReply reply) {
    usedNanos = System.nanoTime();
    kept.add(new Kept(position, reply));
    bytes.addAndGet(reply.size());
    notifyAll();
  }

  /** Drops the replies that have arrived, and waits for others; returns none after a time. */
  synchronized ReplyBatch fetch(long arrived, long patienceNanos) throws InterruptedException {
    usedNanos = System.nanoTime();
    dropUpTo(arrived);
    long start = usedNanos;
    long left = patienceNanos;
    while (kept.isEmpty() && !closed && left > 0) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
      left = patienceNanos - (System.nanoTime() - start);
    }
    List<LateReply> batch = ReplyBatch.first(kept.stream().map(Kept::reply).iterator());
    long last = kept.stream().limit(batch.size()).mapToLong(Kept::position).max().orElse(arrived);
    return new ReplyBatch(batch, last);
  }

  /** Drops the replies up to a position. */
  synchronized void dropUpTo(long position) {
    while (!kept.isEmpty() && kept.element().position <= position) {
      bytes.addAndGet(-kept.remove().reply.size());
    }
  }

  /** Returns how long nothing has come, and the client has not asked. */
  synchronized long idleNanos() {
    return System.nanoTime() - usedNanos;
  }

  /** Ends all waits. */
  synchronized void close() {
    closed = true;
    notifyAll();
  }
}
