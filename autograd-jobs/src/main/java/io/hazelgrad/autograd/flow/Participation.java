package io.hazelgrad.autograd.flow;

import io.hazelgrad.autograd.jet.GradientMessage;
import io.hazelgrad.autograd.jet.Outcome;
import io.hazelgrad.autograd.jet.PassId;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An attempt at a host that does not coordinate it: tells the one that does how its part ends.
 *
 * @param deadlineNanos when it must have ended
 */
record Participation(PassId pass, long coordinator, long deadlineNanos, HostCalls calls)
    implements Flow.Host {
  @Override
  public CompletableFuture<List<@Nullable Object>> send(
      int wave, long host, List<GradientMessage> messages) {
    return calls.sendGradients(pass, wave, host, messages, deadlineNanos);
  }

  @Override
  public void done(boolean isTold) {
    if (!isTold) {
      calls.tellEnd(pass, coordinator, new Outcome.Done());
    }
  }

  @Override
  public void heardDone(long host) {
    throw new IllegalStateException("host " + host + " takes this one for its coordinator");
  }

  @Override
  public void failed(Outcome outcome, Set<Long> told) {
    if (!told.contains(coordinator)) {
      calls.tellEnd(pass, coordinator, outcome);
    }
  }
}
