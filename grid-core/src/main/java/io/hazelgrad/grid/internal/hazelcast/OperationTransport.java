package io.hazelgrad.grid.internal.hazelcast;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.spi.impl.operationservice.OperationService;
import com.hazelcast.version.MemberVersion;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.call.Transport;
import io.hazelgrad.grid.internal.concurrent.ExceptionMapper;
import io.hazelgrad.grid.internal.serve.RequestReceiver;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import java.util.Set;
import java.util.function.Consumer;

/** Carries calls between members as operations of Hazelcast. */
public final class OperationTransport implements Transport {
  private static final Set<Integer> TRIED_MINORS = Set.of(5, 6, 7);

  private final RequestReceiver here;
  private final OperationService operations;

  /**
   * Makes the transport of a member.
   *
   * @param here receives the worker's calls to itself
   * @throws GridException BAD_CONFIG if a member has a version of Hazelcast that was not tried
   */
  public OperationTransport(RequestReceiver here, HazelcastInstance hazelcast) {
    requireTriedVersion(hazelcast);
    this.here = here;
    this.operations = NodeEngines.of(hazelcast).getOperationService();
  }

  private static void requireTriedVersion(HazelcastInstance hazelcast) {
    for (Member member : hazelcast.getCluster().getMembers()) {
      MemberVersion version = member.getVersion();
      if (version.getMajor() != 5 || !TRIED_MINORS.contains((int) version.getMinor())) {
        throw new GridException(
            Status.BAD_CONFIG,
            ("HazelgradConfig.engine OPERATIONS uses parts of Hazelcast that are not public API, as"
                    + " they are in 5.5, 5.6 and 5.7; member %s has version %s. Use the engine"
                    + " TASKS, which is the default")
                .formatted(member.getAddress(), version));
      }
    }
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
