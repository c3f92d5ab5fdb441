package io.hazelgrad.grid.internal.hazelcast;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.spi.impl.operationservice.OperationService;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.call.Transport;
import io.hazelgrad.grid.internal.concurrent.ExceptionMapper;
import io.hazelgrad.grid.internal.serve.RequestReceiver;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import java.util.function.Consumer;

/** Carries calls between members as operations of Hazelcast. */
public final class OperationTransport implements Transport {
  private final RequestReceiver here;
  private final OperationService operations;

  /**
   * Makes the transport of a member.
   *
   * @param here receives the worker's calls to itself
   */
  public OperationTransport(RequestReceiver here, HazelcastInstance hazelcast) {
    HazelcastInternals.requireTriedVersion(hazelcast);
    this.here = here;
    this.operations = HazelcastInternals.nodeEngine(hazelcast).getOperationService();
  }

  @Override
  public void send(Worker to, Member member, Request request, Consumer<Reply> replyTo) {
    if (member.localMember()) {
      here.receive(request, replyTo);
    } else {
      send(operations, member, request, replyTo);
    }
  }

  static void send(
      OperationService operations, Member member, Request request, Consumer<Reply> replyTo) {
    try {
      // Not the future's default executor: what takes replies hands them on itself.
      var unused =
          operations
              .createInvocationBuilder(null, new CallOperation(request), member.getAddress())
              .setAsync() // Extensions may call on a thread of Hazelcast's.
              .<Object>invoke()
              .whenCompleteAsync(
                  (answer, thrown) ->
                      replyTo.accept(
                          thrown == null
                              ? request.checked(answer)
                              : Reply.lost(ExceptionMapper.of(thrown))),
                  Runnable::run);
    } catch (RuntimeException e) {
      replyTo.accept(Reply.lost(ExceptionMapper.of(e)));
    }
  }
}
