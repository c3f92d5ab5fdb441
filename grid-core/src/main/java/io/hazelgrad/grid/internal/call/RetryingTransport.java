package io.hazelgrad.grid.internal.call;

import com.hazelcast.client.HazelcastClientOfflineException;
import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.OperationTimeoutException;
import com.hazelcast.spi.exception.TargetDisconnectedException;
import com.hazelcast.spi.exception.TargetNotMemberException;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.concurrent.DeadlineWheel;
import io.hazelgrad.grid.internal.concurrent.ExceptionMapper;
import io.hazelgrad.grid.internal.member.Directory;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import io.hazelgrad.grid.spi.Causes;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The transport of a client. A request goes to the callee's own member, or where there is no
 * connection to it, through any other.
 *
 * <p>If the connection breaks before the reply, nobody knows whether the request arrived. It is
 * sent again, marked as such, with the time that is left, until the callee has left the cluster;
 * the callee runs it once.
 */
public final class RetryingTransport implements Transport {
  /** Carries requests, each once. */
  public interface Link {
    /** Sends a request; the future fails if it may not have arrived, or its reply cannot come. */
    CompletableFuture<Reply> send(Worker to, Member member, Request request);

    /** Ends the requests to a worker that has left. */
    default void lost(Worker worker) {}

    /** As {@link Transport#close}. */
    default void close() {}
  }

  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Link link;
  private final HazelcastInstance client;
  private final Directory directory;
  private final DeadlineWheel deadlines;
  private final Executor background;

  public RetryingTransport(
      Link link,
      HazelcastInstance client,
      Directory directory,
      DeadlineWheel deadlines,
      Executor background) {
    this.link = link;
    this.client = client;
    this.directory = directory;
    this.deadlines = deadlines;
    this.background = background;
  }

  @Override
  public void send(Worker to, Member member, Request request, Consumer<Reply> replyTo) {
    send(to, member, request.again(Request.Sending.FIRST), replyTo, FIRST_PAUSE_NANOS);
  }

  private void send(
      Worker to, Member member, Request request, Consumer<Reply> replyTo, long pauseNanos) {
    var unused =
        link.send(to, member, request)
            .whenCompleteAsync(
                (reply, thrown) -> {
                  if (thrown == null) {
                    replyTo.accept(reply);
                  } else {
                    failed(to, member, request, replyTo, pauseNanos, thrown);
                  }
                },
                Runnable::run);
  }

  private void failed(
      Worker to,
      Member member,
      Request request,
      Consumer<Reply> replyTo,
      long pauseNanos,
      Throwable thrown) {
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
          () -> send(to, member, request.again(Request.Sending.AGAIN), replyTo, nextPauseNanos);
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

  @Override
  public void workerLost(Worker worker) {
    link.lost(worker);
  }

  @Override
  public void close() {
    link.close();
  }
}
