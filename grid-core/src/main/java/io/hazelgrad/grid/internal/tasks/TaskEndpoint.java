package io.hazelgrad.grid.internal.tasks;

import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.concurrent.DeadlineWheel;
import io.hazelgrad.grid.internal.serve.Callee;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The receiver of the tasks for one worker: requests of others, late replies to its own requests,
 * and polls of clients for late replies. Threads: safe.
 */
public final class TaskEndpoint {
  /** A grid whose worker has an endpoint. */
  public interface Host {
    TaskEndpoint tasks();
  }

  /** Receives the reply of a call. It is the result of the task, or late if the task has ended. */
  private final class ReplySlot implements Consumer<Reply> {
    private static final Reply LATER = new Reply();

    private final AtomicReference<@Nullable Reply> first = new AtomicReference<>();
    private final Request request;
    private final ReplyAddress later;

    ReplySlot(Request request, ReplyAddress later) {
      this.request = request;
      this.later = later;
    }

    @Override
    public void accept(Reply reply) {
      if (!first.compareAndSet(null, reply.to(request.id()))) {
        late.send(request.caller(), later, reply);
      }
    }

    @Nullable Reply orLater() {
      return first.compareAndSet(null, LATER) ? null : first.get();
    }
  }

  private final Callee callee;
  private final Worker self;
  private final PendingRequests pending;
  private final LateReplies late;

  public TaskEndpoint(
      HazelcastInstance hazelcast,
      Callee callee,
      Worker self,
      PendingRequests pending,
      long mostBytesForClients,
      DeadlineWheel deadlines,
      Executor background) {
    this.callee = callee;
    this.self = self;
    this.pending = pending;
    this.late = new LateReplies(hazelcast, self, mostBytesForClients, deadlines, background);
  }

  /** Adds the executors to a configuration. */
  public static void prepare(Config config) {
    GridExecutor.prepare(config);
  }

  /** Runs a call, on this thread if nothing else is at work; returns null if its reply is late. */
  @Nullable Reply call(Request request, ReplyAddress later) {
    ReplySlot slot = new ReplySlot(request, later);
    callee.run(request, slot);
    return slot.orLater();
  }

  /** Takes replies to requests of this worker; false if they are not for it. */
  boolean replied(UUID caller, ReplyBatch batch) {
    if (!caller.equals(pending.id)) {
      return false;
    }
    pending.end(batch);
    return true;
  }

  boolean isOf(long worker) {
    return self.id() == worker;
  }

  ReplyBatch poll(UUID caller, long arrived) throws InterruptedException {
    return late.poll(caller, arrived);
  }

  /** A worker was lost: nobody takes its replies. */
  public void lost(Worker caller) {
    late.lost(caller);
  }

  /** Forgets what is too old to matter. */
  public void sweep() {
    late.sweep();
  }

  /** Sends the replies that wait. */
  public void close() {
    late.close();
  }
}
