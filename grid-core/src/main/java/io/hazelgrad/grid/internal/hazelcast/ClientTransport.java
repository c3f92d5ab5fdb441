package io.hazelgrad.grid.internal.hazelcast;

import com.hazelcast.client.HazelcastClientOfflineException;
import com.hazelcast.client.impl.clientside.HazelcastClientInstanceImpl;
import com.hazelcast.client.impl.clientside.HazelcastClientProxy;
import com.hazelcast.client.impl.protocol.ClientMessage;
import com.hazelcast.client.impl.spi.impl.ClientInvocation;
import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.OperationTimeoutException;
import com.hazelcast.spi.exception.TargetDisconnectedException;
import com.hazelcast.spi.exception.TargetNotMemberException;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.call.Transport;
import io.hazelgrad.grid.internal.concurrent.DeadlineWheel;
import io.hazelgrad.grid.internal.concurrent.ExceptionMapper;
import io.hazelgrad.grid.internal.member.Directory;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import io.hazelgrad.grid.spi.Causes;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Carries a client's calls as messages of the client protocol. A message goes to the callee's own
 * member, or where there is no connection to it, to any other, which passes it on.
 *
 * <p>If the connection breaks before the reply, nobody knows whether the request arrived. It is
 * sent again, marked as such, with the time that is left, until the callee has left the cluster;
 * the callee runs it once.
 */
public final class ClientTransport implements Transport {
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final HazelcastClientInstanceImpl client;
  private final Directory directory;
  private final DeadlineWheel deadlines;
  private final Executor background;

  public ClientTransport(
      HazelcastInstance client, Directory directory, DeadlineWheel deadlines, Executor background) {
    this.client = implementation(client);
    this.directory = directory;
    this.deadlines = deadlines;
    this.background = background;
  }

  private static HazelcastClientInstanceImpl implementation(HazelcastInstance client) {
    if (client instanceof HazelcastClientProxy proxy) {
      return proxy.client;
    }
    throw Transport.wrapped(
        "a client of the grid needs a client", client, "HazelcastClient.newHazelcastClient(...)");
  }

  @Override
  public void send(Worker to, Member member, Request request, Consumer<Reply> replyTo) {
    send(member, request.again(Request.Sending.FIRST), replyTo, FIRST_PAUSE_NANOS);
  }

  private void send(Member member, Request request, Consumer<Reply> replyTo, long pauseNanos) {
    try {
      ClientMessage message = CallMessage.request(member.getUuid(), request);
      var unused =
          new ClientInvocation(client, message, null, member.getUuid())
              .invoke()
              .whenCompleteAsync(
                  (reply, thrown) -> {
                    if (thrown == null) {
                      replyTo.accept(read(reply));
                    } else {
                      failed(member, request, replyTo, pauseNanos, thrown);
                    }
                  },
                  Runnable::run);
    } catch (RuntimeException e) {
      failed(member, request, replyTo, pauseNanos, e);
    }
  }

  private static Reply read(ClientMessage message) {
    try {
      return CallMessage.readReply(message);
    } catch (GridException e) {
      return Reply.failure(
          new GridException(e.status(), "a damaged reply: " + e.getMessage(), true, null, e));
    }
  }

  private void failed(
      Member member, Request request, Consumer<Reply> replyTo, long pauseNanos, Throwable thrown) {
    Throwable cause = Causes.of(thrown);
    if (!isBrokenConnection(cause) || !client.getLifecycleService().isRunning()) {
      replyTo.accept(Reply.lost(ExceptionMapper.of(cause)));
    } else if (directory.member(request.callee()) == null) {
      replyTo.accept(
          Reply.lost(
              new GridException(Status.WORKER_LOST, "its member has left", true, null, cause)));
    } else if (request.leftNanos() > 0) { // Otherwise its caller hears of the deadline.
      long nextPauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
      Runnable again =
          () -> send(member, request.again(Request.Sending.AGAIN), replyTo, nextPauseNanos);
      deadlines.after(pauseNanos, () -> background.execute(again));
    }
  }

  private static boolean isBrokenConnection(@Nullable Throwable cause) {
    return cause instanceof TargetDisconnectedException
        || cause instanceof TargetNotMemberException // Of the client's own, outdated list.
        || cause instanceof HazelcastClientOfflineException
        || cause instanceof OperationTimeoutException
        || cause instanceof IOException;
  }
}
