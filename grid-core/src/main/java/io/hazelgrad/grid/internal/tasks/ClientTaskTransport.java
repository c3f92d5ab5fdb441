package io.hazelgrad.grid.internal.tasks;

import com.hazelcast.client.HazelcastClientOfflineException;
import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.IExecutorService;
import com.hazelcast.core.OperationTimeoutException;
import com.hazelcast.spi.exception.TargetDisconnectedException;
import com.hazelcast.spi.exception.TargetNotMemberException;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.call.Transport;
import io.hazelgrad.grid.internal.concurrent.DeadlineWheel;
import io.hazelgrad.grid.internal.member.Directory;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import io.hazelgrad.grid.spi.Causes;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Carries a client's calls as tasks of a Hazelcast executor. A task goes to the callee's own
 * member, or where there is no connection to it, through any other.
 *
 * <p>If the connection breaks before the result of the task, nobody knows whether the request
 * arrived. It is sent again, marked as such, with the time that is left, until the callee has left
 * the cluster; the callee runs it once. While late replies of a worker are outstanding, the client
 * has one poll for them at that worker.
 *
 * <p>Threads: safe.
 */
public final class ClientTaskTransport implements Transport {
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** The polls of one worker. The fields that change belong to the poll that is outstanding. */
  private static final class Polling {
    final AtomicBoolean isOutstanding = new AtomicBoolean();
    long arrived;
    long pauseNanos = FIRST_PAUSE_NANOS;
  }

  private final HazelcastInstance client;
  private final IExecutorService calls;
  private final IExecutorService polls;
  private final DeadlineWheel deadlines;
  private final Executor background;
  private final PendingRequests pending = new PendingRequests();
  private final Map<Worker, Polling> polling = new ConcurrentHashMap<>();
  private volatile boolean closed;

  public ClientTaskTransport(
      HazelcastInstance client, DeadlineWheel deadlines, Executor background) {
    this.client = client;
    this.calls = GridExecutor.CALLS.of(client);
    this.polls = GridExecutor.POLLS.of(client);
    this.deadlines = deadlines;
    this.background = background;
  }

  @Override
  public void send(Worker to, Member member, Request request, Consumer<Reply> replyTo) {
    send(to, member, request.again(Request.Sending.FIRST), replyTo, FIRST_PAUSE_NANOS);
  }

  private void send(
      Worker to, Member member, Request request, Consumer<Reply> replyTo, long pauseNanos) {
    long number = pending.add(to, replyTo);
    CallTask task = new CallTask(request, new ReplyAddress(pending.id, number, true));
    var unused =
        GridExecutor.submit(calls, task, member)
            .whenCompleteAsync(
                (reply, thrown) -> {
                  if (thrown != null) {
                    failed(to, member, request, number, pauseNanos, thrown);
                  } else if (reply != null) {
                    pending.end(number, request.checked(reply));
                  } else {
                    pending.late(number);
                    poll(to);
                  }
                },
                Runnable::run);
  }

  private void failed(
      Worker to, Member member, Request request, long number, long pauseNanos, Throwable thrown) {
    if (!isBrokenConnection(Causes.of(thrown)) || !client.getLifecycleService().isRunning()) {
      pending.end(number, TaskTransport.failed(thrown));
    } else if (Directory.memberOf(client, to) == null) {
      pending.end(number, PendingRequests.left());
    } else {
      Consumer<Reply> replyTo = pending.forget(number);
      if (replyTo != null && request.leftNanos() > 0) { // Else its caller hears of the deadline.
        long nextPauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
        Request again = request.again(Request.Sending.AGAIN);
        after(pauseNanos, () -> send(to, member, again, replyTo, nextPauseNanos));
      }
    }
  }

  private static boolean isBrokenConnection(@Nullable Throwable cause) {
    return cause instanceof TargetDisconnectedException
        || cause instanceof TargetNotMemberException // Of the client's own, outdated list.
        || cause instanceof HazelcastClientOfflineException
        || cause instanceof OperationTimeoutException
        || cause instanceof IOException;
  }

  private void after(long pauseNanos, Runnable work) {
    deadlines.after(pauseNanos, () -> background.execute(work));
  }

  /** Polls a worker for late replies, unless a poll is outstanding. */
  private void poll(Worker worker) {
    Polling poll = polling.computeIfAbsent(worker, key -> new Polling());
    if (poll.isOutstanding.compareAndSet(false, true)) {
      ask(worker, poll);
    }
  }

  private void ask(Worker worker, Polling poll) {
    boolean isRunning = !closed && client.getLifecycleService().isRunning();
    Member member = isRunning ? Directory.memberOf(client, worker) : null;
    if (member == null) {
      workerLost(worker);
      return;
    }
    var unused =
        GridExecutor.submit(polls, new PollTask(pending.id, worker, poll.arrived), member)
            .whenCompleteAsync((batch, thrown) -> answered(worker, poll, batch), Runnable::run);
  }

  private void answered(Worker worker, Polling poll, @Nullable ReplyBatch batch) {
    if (batch == null) { // A broken connection, or the worker is about to leave.
      long pause = poll.pauseNanos;
      poll.pauseNanos = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
      after(pause, () -> ask(worker, poll));
      return;
    }
    poll.pauseNanos = FIRST_PAUSE_NANOS;
    poll.arrived = batch.last();
    pending.end(batch);
    if (!batch.replies().isEmpty() || pending.hasLate(worker)) {
      ask(worker, poll); // This tells the worker, too, that the replies have arrived.
      return;
    }
    poll.isOutstanding.set(false);
    if (pending.hasLate(worker)) { // Here or in send(): one of the two sees it.
      poll(worker);
    }
  }

  @Override
  public void workerLost(Worker worker) {
    polling.remove(worker);
    pending.lost(worker::equals);
  }

  @Override
  public void close() {
    closed = true;
    pending.clear();
  }
}
