package io.hazelgrad.grid.internal.tasks;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceNotActiveException;
import com.hazelcast.core.IExecutorService;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.concurrent.DeadlineWheel;
import io.hazelgrad.grid.internal.member.Directory;
import io.hazelgrad.grid.internal.tasks.ReplyBatch.LateReply;
import io.hazelgrad.grid.internal.wire.Reply;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Delivers the late replies of one worker: those that were not ready when the tasks of their
 * requests ended. Replies for a member go in batches, which are repeated until they arrive or the
 * member has left. Replies for a client are kept until the client has fetched them.
 *
 * <p>Threads: safe. None of the methods but {@link #poll} waits.
 */
final class LateReplies {
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long MOST_IDLE_NANOS = TimeUnit.MINUTES.toNanos(2);

  private record Destination(Worker caller, UUID id) {}

  private final HazelcastInstance hazelcast;
  private final IExecutorService executor;
  private final Worker self;
  private final long mostBytesForClients;
  private final DeadlineWheel deadlines;
  private final Executor background;
  private final Map<Destination, ReplyLane> lanes = new ConcurrentHashMap<>();
  private final Map<UUID, ReplyMailbox> mailboxes = new ConcurrentHashMap<>();
  private final AtomicLong bytesForClients = new AtomicLong();
  private final AtomicLong position = new AtomicLong();
  private volatile boolean closing;

  LateReplies(
      HazelcastInstance hazelcast,
      Worker self,
      long mostBytesForClients,
      DeadlineWheel deadlines,
      Executor background) {
    this.hazelcast = hazelcast;
    this.executor = GridExecutor.REPLIES.of(hazelcast);
    this.self = self;
    this.mostBytesForClients = mostBytesForClients;
    this.deadlines = deadlines;
    this.background = background;
  }

  void send(Worker caller, ReplyAddress to, Reply reply) {
    if (to.isPolled()) {
      keep(to, reply);
    } else {
      Destination destination = new Destination(caller, to.caller());
      ReplyLane lane = lanes.computeIfAbsent(destination, key -> new ReplyLane());
      lane.add(LateReply.of(to.number(), reply));
      send(destination, lane);
    }
  }

  private void send(Destination to, ReplyLane lane) {
    for (ReplyBatch batch = lane.next(closing); batch != null; batch = lane.next(closing)) {
      send(to, lane, batch);
    }
  }

  private void send(Destination to, ReplyLane lane, ReplyBatch batch) {
    Member member = memberOf(to.caller);
    if (member == null) { // Its calls have ended with it.
      lanes.remove(to, lane);
      lane.sent();
      return;
    }
    var unused =
        GridExecutor.submit(executor, new ReplyTask(to.id, batch), member)
            .whenCompleteAsync( // Nothing is submitted on a thread of Hazelcast's network.
                (isThere, thrown) -> sent(to, lane, batch, thrown), background);
  }

  private @Nullable Member memberOf(Worker caller) {
    try {
      return Directory.memberOf(hazelcast, caller);
    } catch (HazelcastInstanceNotActiveException e) { // This member has ended before its worker.
      return null;
    }
  }

  private void sent(Destination to, ReplyLane lane, ReplyBatch batch, @Nullable Throwable thrown) {
    if (thrown != null && hazelcast.getLifecycleService().isRunning()) {
      deadlines.after(PAUSE_NANOS, () -> background.execute(() -> send(to, lane, batch)));
    } else {
      lane.sent();
      send(to, lane);
    }
  }

  private void keep(ReplyAddress to, Reply reply) {
    LateReply kept = limited(LateReply.of(to.number(), reply));
    mailboxes.compute( // Not while the mailbox is swept, and in the order of the positions.
        to.caller(),
        (id, known) -> {
          ReplyMailbox mailbox = known == null ? new ReplyMailbox(bytesForClients) : known;
          mailbox.add(position.incrementAndGet(), kept);
          return mailbox;
        });
  }

  /** A client that fetches nothing must not fill the heap. */
  private LateReply limited(LateReply reply) {
    long bytes = bytesForClients.get();
    if (bytes + reply.size() <= mostBytesForClients) {
      return reply;
    }
    String message =
        ("worker %s drops the result of %s bytes: it keeps %s bytes of results that clients have"
                + " not fetched, and maxRequestBytes=%s allows no more; the function has run")
            .formatted(self.name(), reply.size(), bytes, mostBytesForClients);
    return LateReply.of(
        reply.number(),
        Reply.failure(new GridException(Status.REJECTED, message, true, null, null)));
  }

  /** Returns the next replies for a client; waits for a moment if there are none. */
  ReplyBatch poll(UUID caller, long arrived) throws InterruptedException {
    return mailboxes
        .computeIfAbsent(caller, id -> new ReplyMailbox(bytesForClients))
        .fetch(arrived, closing ? 0 : POLL_NANOS);
  }

  /** Drops what belongs to a caller that has left. */
  void lost(Worker caller) {
    lanes.keySet().removeIf(to -> to.caller.equals(caller));
  }

  /** Drops the replies that nobody fetches. */
  void sweep() {
    for (UUID caller : mailboxes.keySet()) {
      mailboxes.computeIfPresent(
          caller,
          (id, mailbox) -> {
            if (mailbox.idleNanos() <= MOST_IDLE_NANOS) {
              return mailbox;
            }
            mailbox.dropUpTo(Long.MAX_VALUE);
            return null;
          });
    }
  }

  /** Sends all that waits. A client can still fetch what is there. */
  void close() {
    closing = true;
    mailboxes.values().forEach(ReplyMailbox::close);
    lanes.forEach(this::send);
  }
}
