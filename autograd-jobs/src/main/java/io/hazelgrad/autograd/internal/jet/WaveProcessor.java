package io.hazelgrad.autograd.internal.jet;

import com.hazelcast.jet.core.Inbox;
import com.hazelcast.jet.core.Outbox;
import com.hazelcast.jet.core.Processor;
import com.hazelcast.jet.core.Watermark;
import com.hazelcast.jet.core.metrics.Metrics;
import com.hazelcast.jet.core.metrics.Unit;
import com.hazelcast.spi.exception.TargetNotMemberException;
import io.hazelgrad.autograd.internal.pass.GradientMessage;
import io.hazelgrad.autograd.internal.pass.PassId;
import io.hazelgrad.autograd.internal.plan.MessageId;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One wave on one member: takes its gradients, advances, and emits those of the next wave. */
final class WaveProcessor implements Processor {
  /*
   * The processor takes gradients while `missing` is not empty, advances while `advance` is not
   * done, and emits while `emitted` is below the number of emissions. Then it waits for Jet's
   * end-of-input.
   *
   * The wave's gradients are counted, so the member continues as soon as it has its own, before the
   * end-of-input of every other member. Jet calls the processor on a cooperative thread, which must
   * not compute: advancing runs on the participant's executor, and Jet polls through tryProcess()
   * and complete(). Jet's thread may sleep between two polls, so the end of an advance wakes it. A
   * wave without work never leaves Jet's thread.
   */
  private final PassId pass;
  private final int wave;
  private @Nullable JobAttempt attempt;
  private @Nullable Outbox outbox;
  private Set<MessageId> missing = Set.of();
  private @Nullable Future<JobAttempt.Advance> advance;
  private int emitted;

  /** Jet's thread that last asked for the end of the advance. */
  private volatile @Nullable Thread poller;

  WaveProcessor(PassId pass, int wave) {
    this.pass = pass;
    this.wave = wave;
  }

  @Override
  public void init(Outbox outbox, Context context) {
    JobAttempt found = JobAttempt.find(context.hazelcastInstance(), pass);
    this.outbox = outbox;
    attempt = found;
    missing = found.takenIn(wave);
    advanceIfComplete(found);
  }

  @Override
  public void process(int ordinal, Inbox inbox) {
    JobAttempt open = Objects.requireNonNull(attempt);
    for (Object item = inbox.poll(); item != null; item = inbox.poll()) {
      GradientMessage message = (GradientMessage) item;
      if (!missing.remove(message.message())) {
        throw open.contradiction(message + " came twice, or is not in the plan", wave);
      }
      Metrics.metric("gradients")
          .increment(message.gradients().stream().filter(Objects::nonNull).count());
      Metrics.metric("bytes", Unit.BYTES).increment(message.bytes());
      open.deliver(message, wave);
      advanceIfComplete(open);
    }
  }

  private void advanceIfComplete(JobAttempt open) {
    if (missing.isEmpty() && open.advancesIn(wave)) {
      CompletableFuture<JobAttempt.Advance> started = open.advance(wave);
      var unused = started.whenComplete((result, failure) -> LockSupport.unpark(poller));
      advance = started;
    }
  }

  @Override
  public boolean tryProcess() {
    return advance == null || isAdvancing(advance) || emit(advance);
  }

  /** Returns whether an advance still runs; if so, its end wakes this thread. */
  private boolean isAdvancing(Future<JobAttempt.Advance> current) {
    poller = Thread.currentThread(); // Before the question, so that no end is missed.
    return !current.isDone();
  }

  @Override
  public boolean complete() {
    if (!missing.isEmpty()) {
      throw Objects.requireNonNull(attempt).contradiction("no gradients came for " + missing, wave);
    }
    return advance == null || (!isAdvancing(advance) && emit(advance));
  }

  /** Emits until all gradients are out (true) or Jet's queue is full (false). */
  private boolean emit(Future<JobAttempt.Advance> done) {
    JobAttempt.Advance result = resultOf(done);
    Metrics.metric("milliseconds", Unit.MS).set((result.nanos() + 500_000) / 1_000_000);
    List<JobAttempt.Emission> emissions = result.emissions();
    while (emitted < emissions.size()) {
      JobAttempt.Emission next = emissions.get(emitted);
      if (!Objects.requireNonNull(outbox).offer(next.ordinal(), next.message())) {
        return false;
      }
      emitted++;
    }
    return true;
  }

  private static JobAttempt.Advance resultOf(Future<JobAttempt.Advance> done) {
    try {
      return done.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof TargetNotMemberException lost
          ? lost
          : JobFailures.portable(e, "advance");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CancellationException("interrupted");
    }
  }

  @Override
  public boolean tryProcessWatermark(Watermark watermark) {
    return true; // There are none: the input has no time.
  }

  @Override
  public void close() {
    if (advance != null) {
      advance.cancel(false); // If it runs, end() stops the participant.
    }
  }

  @Override
  public boolean closeIsCooperative() {
    return true;
  }
}
