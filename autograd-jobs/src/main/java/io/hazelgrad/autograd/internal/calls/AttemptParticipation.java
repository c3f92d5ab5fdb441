package io.hazelgrad.autograd.internal.calls;

import io.hazelgrad.autograd.internal.pass.AttemptOutcome;
import io.hazelgrad.autograd.internal.pass.GradientMessage;
import io.hazelgrad.autograd.internal.pass.PassId;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An attempt at a host that does not coordinate it: tells the one that does how its part ends.
 *
 * @param deadlineNanos when it must have ended
 */
record AttemptParticipation(PassId pass, long coordinator, long deadlineNanos, HostCalls calls)
    implements PassExecution.Host {
  @Override
  public CompletableFuture<List<@Nullable Object>> send(
      int wave, long host, List<GradientMessage> messages) {
    return calls.sendGradients(pass, wave, host, messages, deadlineNanos);
  }

  @Override
  public void done(boolean isTold) {
    if (!isTold) {
      calls.tellEnd(pass, coordinator, new AttemptOutcome.Done());
    }
  }

  @Override
  public void heardDone(long host) {
    throw new IllegalStateException("host " + host + " takes this one for its coordinator");
  }

  @Override
  public void failed(AttemptOutcome outcome, Set<Long> told) {
    if (!told.contains(coordinator)) {
      calls.tellEnd(pass, coordinator, outcome);
    }
  }
}
