package io.hazelgrad.grid.internal.tasks;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.IExecutorService;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.call.Transport;
import io.hazelgrad.grid.internal.concurrent.ExceptionMapper;
import io.hazelgrad.grid.internal.serve.RequestReceiver;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import io.hazelgrad.grid.spi.Causes;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Carries calls between members as tasks of a Hazelcast executor. The result of a task is the reply
 * to its request, or says that the reply comes later, as a task in the other direction.
 */
public final class TaskTransport implements Transport {
  private final RequestReceiver here;
  private final IExecutorService calls;
  private final PendingRequests pending;
  private final Executor background;

  /**
   * Makes the transport of a member.
   *
   * @param here receives the worker's calls to itself
   * @param background submits tasks in place of Hazelcast's network threads, which may not
   */
  public TaskTransport(
      RequestReceiver here,
      HazelcastInstance hazelcast,
      PendingRequests pending,
      Executor background) {
    this.here = here;
    this.calls = GridExecutor.CALLS.of(hazelcast);
    this.pending = pending;
    this.background = background;
  }

  @Override
  public void send(Worker to, Member member, Request request, Consumer<Reply> replyTo) {
    if (member.localMember()) {
      here.receive(request, replyTo);
    } else {
      send(member, request, pending.add(to, replyTo), false);
    }
  }

  private void send(Member member, Request request, long number, boolean again) {
    var unused =
        GridExecutor.submit(
                calls, new CallTask(request, new ReplyAddress(pending.id, number, false)), member)
            .whenCompleteAsync( // What takes replies hands them on itself.
                (reply, thrown) -> {
                  if (thrown == null) {
                    answered(request, number, reply);
                  } else if (!again && Causes.of(thrown) instanceof IllegalThreadStateException) {
                    // Hazelcast's network threads may not submit tasks, and extensions call there.
                    background.execute(() -> send(member, request, number, true));
                  } else {
                    pending.end(number, failed(thrown));
                  }
                },
                Runnable::run);
  }

  private void answered(Request request, long number, @Nullable Reply reply) {
    if (reply == null) {
      pending.late(number);
    } else {
      pending.end(number, request.checked(reply));
    }
  }

  /** Turns the failure of a task into a reply to its request. */
  static Reply failed(Throwable thrown) {
    Throwable cause = Causes.of(thrown);
    return Reply.lost(
        cause instanceof RejectedExecutionException
            ? new GridException(
                Status.WORKER_LOST, "its member is shutting down", false, null, cause)
            : ExceptionMapper.of(cause));
  }

  @Override
  public void memberLost(UUID member) {
    pending.lost(callee -> callee.incarnation().equals(member));
  }

  @Override
  public void close() {
    pending.clear();
  }
}
