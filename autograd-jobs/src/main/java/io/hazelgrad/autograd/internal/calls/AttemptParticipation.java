package io.hazelgrad.autograd.internal.calls;

import io.hazelgrad.autograd.internal.pass.AttemptOutcome;
import io.hazelgrad.autograd.internal.pass.GradientMessage;
import io.hazelgrad.autograd.internal.pass.PassId;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** An attempt at a host that does not coordinate it, and reports its end to the coordinator. */
record AttemptParticipation(PassId pass, long coordinator, long deadlineNanos, HostCalls calls)
    implements PassExecution.Host {
  /** The time after the deadline at which the part ends if the coordinator has not ended it. */
  private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(10);

  @Override
  public CompletableFuture<List<@Nullable Object>> send(
      int wave, long host, List<GradientMessage> messages) {
    return calls.sendGradients(pass, wave, host, messages, deadlineNanos);
  }

  @Override
  public void done(boolean isReported) {
    if (!isReported) {
      calls.reportEnd(pass, coordinator, new AttemptOutcome.Done());
    }
  }

  @Override
  public void hostDone(long host) {
    throw new IllegalStateException(
        "host " + host + " reports to this host, which does not coordinate");
  }

  @Override
  public void failed(AttemptOutcome outcome, Set<Long> informed) {
    if (!informed.contains(coordinator)) {
      calls.reportEnd(pass, coordinator, outcome);
    }
  }

  @Override
  public boolean endsWith(long worker) {
    return worker == coordinator;
  }

  @Override
  public boolean isExpired(long nowNanos, LongPredicate isLiving) {
    return nowNanos - deadlineNanos > GRACE_NANOS || !isLiving.test(coordinator);
  }
}
