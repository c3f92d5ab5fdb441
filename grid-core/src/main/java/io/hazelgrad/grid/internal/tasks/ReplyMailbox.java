package io.hazelgrad.grid.internal.tasks;

import io.hazelgrad.grid.internal.tasks.ReplyBatch.LateReply;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The replies that a worker keeps for one client until the client says that they have arrived.
 *
 * <p>Threads: safe.
 */
final class ReplyMailbox {
  private record Kept(long position, LateReply reply) {}

  private final Deque<Kept> kept = new ArrayDeque<>();
  private long bytes;
  private long usedNanos = System.nanoTime();
  private boolean closed;

  /** Keeps a reply; {@code position} is greater than that of every reply before it. */
  synchronized void add(long position, LateReply reply) {
    usedNanos = System.nanoTime();
    kept.add(new Kept(position, reply));
    bytes += reply.size();
    notifyAll();
  }

  /** Drops the replies that have arrived, and waits for others; returns none after a time. */
  synchronized ReplyBatch fetch(long arrived, long patienceNanos) throws InterruptedException {
    usedNanos = System.nanoTime();
    for (Kept first = kept.peek();
        first != null && first.position <= arrived;
        first = kept.peek()) {
      bytes -= kept.remove().reply.size();
    }
    long start = usedNanos;
    long left = patienceNanos;
    while (kept.isEmpty() && !closed && left > 0) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
      left = patienceNanos - (System.nanoTime() - start);
    }
    List<LateReply> batch = new ArrayList<>();
    long position = arrived;
    long size = 0;
    for (Kept each : kept) {
      if (size >= ReplyBatch.FULL) {
        break;
      }
      batch.add(each.reply);
      position = each.position;
      size += each.reply.size();
    }
    return new ReplyBatch(batch, position);
  }

  synchronized long bytes() {
    return bytes;
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
