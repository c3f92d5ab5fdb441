package io.hazelgrad.grid.internal.serve;

import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import java.util.function.Consumer;

/** Takes the requests for a member's worker. */
public interface RequestReceiver {
  /** Gives a request to the worker of a member; if it is none yet or any more, replies so. */
  static void deliver(HazelcastInstance member, Request request, Consumer<Reply> replyTo) {
    RequestReceiver receiver = (RequestReceiver) Grid.running(member);
    if (receiver == null) {
      replyTo.accept(Reply.failure(Callee.left(request.callee())));
    } else {
      receiver.receive(request, replyTo);
    }
  }

  /**
   * Takes a request in without blocking. The reply goes to {@code replyTo} once, perhaps before
   * this method returns.
   */
  void receive(Request request, Consumer<Reply> replyTo);
}
