package io.hazelgrad.grid.internal.tasks;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.wire.Reply;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one caller that have no reply. Each ends once: by its reply, by a failure on the
 * way, or by the loss of its worker.
 *
 * <p>A request is entered before it is sent, because its reply may overtake the result of its task.
 * Threads: safe.
 */
public final class PendingRequests {
  private static final class Pending {
    final Worker callee;
    final Consumer<Reply> replyTo;
    volatile boolean late;

    Pending(Worker callee, Consumer<Reply> replyTo) {
      this.callee = callee;
      this.replyTo = replyTo;
    }
  }

  /** A random id. Only a process that knows it can answer these requests or fetch their replies. */
  final UUID id = UUID.randomUUID();

  private final Map<Long, Pending> requests = new ConcurrentHashMap<>();
  private final AtomicLong count = new AtomicLong();

  long add(Worker callee, Consumer<Reply> replyTo) {
    long number = count.incrementAndGet();
    requests.put(number, new Pending(callee, replyTo));
    return number;
  }

  /** Notes that the reply to a request comes later than the result of its task. */
  void late(long number) {
    Pending pending = requests.get(number);
    if (pending != null) {
      pending.late = true;
    }
  }

  boolean hasLate(Worker callee) {
    return requests.values().stream().anyMatch(each -> each.late && each.callee.equals(callee));
  }

  void end(long number, Reply reply) {
    Pending pending = requests.remove(number);
    if (pending != null) {
      pending.replyTo.accept(reply);
    }
  }

  void end(ReplyBatch batch) {
    batch.replies().forEach(each -> end(each.number(), each.reply()));
  }

  /** Ends the requests to workers that have left. */
  void lost(Predicate<Worker> hasLeft) {
    requests.forEach(
        (number, pending) -> {
          if (hasLeft.test(pending.callee)) {
            end(number, left());
          }
        });
  }

  static Reply left() {
    return Reply.lost(
        new GridException(Status.WORKER_LOST, "its member has left", true, null, null));
  }

  /**
   * Removes a request that is sent again; returns the receiver of its reply, or null if it ended.
   */
  @Nullable Consumer<Reply> forget(long number) {
    Pending pending = requests.remove(number);
    return pending == null ? null : pending.replyTo;
  }

  /** Forgets all requests: their calls have ended. */
  void clear() {
    requests.clear();
  }

  /** Returns the number of requests without a reply. */
  public int size() {
    return requests.size();
  }
}
