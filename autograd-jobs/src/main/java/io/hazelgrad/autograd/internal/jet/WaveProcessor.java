package io.hazelgrad.autograd.internal.jet;

import com.hazelcast.jet.core.Inbox;
import com.hazelcast.jet.core.Outbox;
import com.hazelcast.jet.core.Processor;
import com.hazelcast.jet.core.Watermark;
import io.hazelgrad.autograd.internal.pass.GradientMessage;
import io.hazelgrad.autograd.internal.pass.PassId;
import io.hazelgrad.autograd.internal.plan.MessageId;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** One wave on one member: takes the wave's gradients, advances, emits those of the next wave. */
final class WaveProcessor implements Processor {
  /*
   * TAKING, while `missing` is not empty; ADVANCING, while `advance` is not done; EMITTING, while
   * `emitted` is less than what it made; then only waiting for Jet's end-of-input.
   *
   * The wave's gradients are counted, so the member goes on as soon as it has its own and does not
   * wait until the end-of-input has come from every other member. Jet runs all of this on one of its
   * cooperative threads, which must not compute: advancing runs on the participant's executor, and
   * Jet asks again and again through tryProcess() and complete(). A wave without work never leaves
   * Jet's thread.
   */
  private final PassId pass;
  private final int wave;
  private @Nullable JobAttempt run;
  private @Nullable Outbox outbox;
  private Set<MessageId> missing = Set.of();
  private @Nullable Future<JobAttempt.Advance> advance;
  private int emitted;

  WaveProcessor(PassId pass, int wave) {
    this.pass = pass;
    this.wave = wave;
  }

  @Override
  public void init(Outbox outbox, Context context) {
    JobAttempt found = JobAttempt.find(context.hazelcastInstance(), pass);
    this.outbox = outbox;
    run = found;
    missing = found.takenIn(wave);
    advanceIfComplete(found);
  }

  @Override
  public void process(int ordinal, Inbox inbox) {
    JobAttempt open = Objects.requireNonNull(run);
    for (Object item = inbox.poll(); item != null; item = inbox.poll()) {
      GradientMessage message = (GradientMessage) item;
      if (!missing.remove(message.message())) {
        throw open.broken(message + " came twice, or is not in the plan", wave);
      }
      PassMetrics.taken(message);
      open.deliver(message, wave);
      advanceIfComplete(open);
    }
  }

  private void advanceIfComplete(JobAttempt open) {
    if (missing.isEmpty() && open.advancesIn(wave)) {
      advance = open.advance(wave);
    }
  }

  @Override
  public boolean tryProcess() {
    return advance == null || !advance.isDone() || emit(advance);
  }

  @Override
  public boolean complete() {
    if (!missing.isEmpty()) {
      throw Objects.requireNonNull(run).broken("no gradients came for " + missing, wave);
    }
    return advance == null || (advance.isDone() && emit(advance));
  }

  /** Emits until all is out (true) or Jet has no room for now (false). */
  private boolean emit(Future<JobAttempt.Advance> done) {
    JobAttempt.Advance result = resultOf(done);
    PassMetrics.computed(result.nanos());
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
      throw JobFailures.portable(e, "advance");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CancellationException("interrupted");
    }
  }

  @Override
  public boolean tryProcessWatermark(Watermark watermark) {
    return true; // there are none: the input has no time
  }

  @Override
  public void close() {
    if (advance != null) {
      advance.cancel(false); // if it runs, end() tells the participant to stop
    }
  }

  @Override
  public boolean closeIsCooperative() {
    return true;
  }
}
