package io.hazelgrad.grid;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.spi.impl.operationservice.OperationService;
import java.util.function.Consumer;

/**
 * Carries calls between members as operations of Hazelcast. With {@link CallOperation} the only
 * place that knows this internal part of Hazelcast.
 */
final class HazelcastTransport implements Transport {
  private final Grid grid;
  private final OperationService operations;

  HazelcastTransport(Grid grid, HazelcastInstance hazelcast) {
    this.grid = grid;
    this.operations = Internals.nodeEngine(hazelcast).getOperationService();
  }

  @Override
  public void send(Worker to, Member member, Request request, Consumer<Reply> replyTo) {
    if (member.localMember()) {
      grid.receive(request, replyTo);
      return;
    }
    send(operations, member, request, replyTo);
  }

  /** Sends a request to another member. */
  static void send(
      OperationService operations, Member member, Request request, Consumer<Reply> replyTo) {
    try {
      // Not the future's default executor: what takes replies hands them on itself.
      var unused =
          operations
              .createInvocationBuilder(null, new CallOperation(request), member.getAddress())
              .setAsync() // Extensions may call on a thread of Hazelcast's.
              .<Reply>invoke()
              .whenCompleteAsync(
                  (reply, thrown) ->
                      replyTo.accept(thrown == null ? reply : Reply.lost(Failures.of(thrown))),
                  Runnable::run);
    } catch (RuntimeException e) {
      replyTo.accept(Reply.lost(Failures.of(e)));
    }
  }
}
