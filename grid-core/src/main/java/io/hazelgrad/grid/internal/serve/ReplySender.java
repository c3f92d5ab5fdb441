package io.hazelgrad.grid.internal.serve;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.wire.Reply;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Sends the reply of a call once. The same request may come more than once; then every sender of it
 * gets the reply.
 *
 * <p>Threads: safe.
 */
final class ReplySender {
  private final Worker self;
  private List<Consumer<Reply>> senders;
  private boolean claimed;

  ReplySender(Worker self, Consumer<Reply> sender) {
    this.self = self;
    this.senders = List.of(sender);
  }

  /** The same request came once more: its sender gets the reply, too. False if it went out. */
  synchronized boolean alsoTo(Consumer<Reply> other) {
    if (claimed) {
      return false;
    }
    senders = Stream.concat(senders.stream(), Stream.of(other)).toList();
    return true;
  }

  /** Returns whether the reply has gone out, or somebody is about to send it. */
  synchronized boolean isClaimed() {
    return claimed;
  }

  /** Returns those to be answered, to the first who asks; nobody to all others. */
  synchronized List<Consumer<Reply>> claim() {
    if (claimed) {
      return List.of();
    }
    claimed = true;
    return senders;
  }

  /** Sends the reply, if nobody else has claimed to. */
  void send(Reply reply) {
    Reply outward = outward(reply);
    claim().forEach(sender -> sender.accept(outward));
  }

  /** To its caller, a worker that closes in the middle of a call is a worker that is lost. */
  private Reply outward(Reply reply) {
    GridException failure = reply.failure();
    if (failure == null || failure.status() != Status.CLOSED || failure.remote() != null) {
      return reply;
    }
    return Reply.failure(
        new GridException(
            Status.WORKER_LOST,
            Callee.left(self).getMessage() + ": " + failure.getMessage(),
            failure.mayHaveRun(),
            null,
            failure));
  }
}
