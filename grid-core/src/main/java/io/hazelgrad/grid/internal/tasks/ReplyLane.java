package io.hazelgrad.grid.internal.tasks;

import io.hazelgrad.grid.internal.tasks.ReplyBatch.LateReply;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The replies on their way to one member. While two batches are on their way, later replies wait
 * and go together. Threads: safe.
 */
final class ReplyLane {
  private static final int MOST_SENDING = 2;

  private final Queue<LateReply> waiting = new ArrayDeque<>();
  private int sending;

  synchronized void add(LateReply reply) {
    waiting.add(reply);
  }

  /** Returns the next batch, or null if there is none or it must wait. */
  synchronized @Nullable ReplyBatch next(boolean isClosing) {
    if (waiting.isEmpty() || (sending >= MOST_SENDING && !isClosing)) {
      return null;
    }
    List<LateReply> batch = ReplyBatch.first(waiting.iterator());
    batch.forEach(each -> waiting.remove());
    sending++;
    return new ReplyBatch(batch, 0);
  }

  /** A batch has arrived, or never will. */
  synchronized void sent() {
    sending--;
  }
}
