package io.hazelgrad.grid.internal.call;

import com.hazelcast.cluster.Member;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Carries requests to workers and their replies back. Implementations wrap one another, to count or
 * to disturb messages.
 *
 * <p>Threads: safe.
 */
@FunctionalInterface
public interface Transport {
  /**
   * Sends a request. What goes wrong, now or later, is a {@link Reply#lost} reply, never thrown.
   *
   * @param replyTo takes the reply, at least once or never; on any thread, also on one of
   *     Hazelcast's or before this method returns, so it hands the work on and returns at once
   */
  void send(Worker to, Member member, Request request, Consumer<Reply> replyTo);

  /** A member has left: no reply of its worker comes any more. */
  default void memberLost(UUID member) {}

  /** A worker has left, perhaps not its member: what it replied to others comes nevertheless. */
  default void workerLost(Worker worker) {}

  /** Ends the transport, when all calls have ended. */
  default void close() {}
}
