package io.hazelgrad.grid.internal.tasks;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.IExecutorService;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.call.RetryingTransport;
import io.hazelgrad.grid.internal.concurrent.DeadlineWheel;
import io.hazelgrad.grid.internal.member.Directory;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import io.hazelgrad.grid.spi.Causes;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Carries a client's requests as tasks of a Hazelcast executor. While replies of a worker come
 * later than the results of their tasks, the client has one question for them under way there.
 * Threads: safe.
 */
public final class ClientTaskLink implements RetryingTransport.Link {
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** The questions to one worker; the fields belong to the one that is under way. */
  private static final class Polling {
    final AtomicBoolean isUnderWay = new AtomicBoolean();
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

  public ClientTaskLink(HazelcastInstance client, DeadlineWheel deadlines, Executor background) {
    this.client = client;
    this.calls = GridExecutor.CALLS.of(client);
    this.polls = GridExecutor.POLLS.of(client);
    this.deadlines = deadlines;
    this.background = background;
  }

  @Override
  public CompletableFuture<Reply> send(Worker to, Member member, Request request) {
    CompletableFuture<Reply> result = new CompletableFuture<>();
    long number = pending.add(to, result::complete);
    var unused =
        GridExecutor.submit(
                calls, new CallTask(request, new ReplyAddress(pending.id, number, true)), member)
            .whenCompleteAsync(
                (reply, thrown) -> {
                  if (thrown != null) {
                    pending.forget(number);
                    fail(result, thrown);
                  } else if (reply != null) {
                    pending.end(number, TaskTransport.checked(request, reply));
                  } else {
                    pending.late(number);
                    poll(to);
                  }
                },
                Runnable::run);
    return result;
  }

  private static void fail(CompletableFuture<Reply> result, Throwable thrown) {
    if (Causes.of(thrown) instanceof RejectedExecutionException) {
      result.complete(TaskTransport.failed(thrown));
    } else {
      result.completeExceptionally(thrown);
    }
  }

  /** Asks a worker for replies, unless a question is under way. */
  private void poll(Worker worker) {
    Polling poll = polling.computeIfAbsent(worker, key -> new Polling());
    if (!closed && poll.isUnderWay.compareAndSet(false, true)) {
      ask(worker, poll);
    }
  }

  private void ask(Worker worker, Polling poll) {
    Member member = Directory.memberOf(client, worker);
    if (member == null || closed) {
      polling.remove(worker, poll);
      pending.lost(worker::equals);
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
      deadlines.after(pause, () -> background.execute(() -> ask(worker, poll)));
      return;
    }
    poll.pauseNanos = FIRST_PAUSE_NANOS;
    poll.arrived = batch.last();
    pending.end(batch);
    if (!batch.replies().isEmpty() || pending.hasLate(worker)) {
      ask(worker, poll); // This tells the worker, too, that the replies have arrived.
      return;
    }
    poll.isUnderWay.set(false);
    if (pending.hasLate(worker)) { // Here or in send(): one of the two sees it.
      poll(worker);
    }
  }

  @Override
  public void lost(Worker worker) {
    polling.remove(worker);
    pending.lost(worker::equals);
  }

  @Override
  public void close() {
    closed = true;
    pending.clear();
  }
}
