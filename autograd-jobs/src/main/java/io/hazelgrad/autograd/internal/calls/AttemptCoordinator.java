package io.hazelgrad.autograd.internal.calls;

import io.hazelgrad.autograd.internal.pass.AttemptOutcome;
import io.hazelgrad.autograd.internal.pass.GradientMessage;
import io.hazelgrad.autograd.internal.pass.PassSpec;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An attempt at its coordinator: begins the parts of the other hosts with the first batch to each,
 * and ends when all hosts are done or one has failed. Threads: safe.
 */
final class AttemptCoordinator implements PassExecution.Host {
  private final AttemptRequest request;
  private final long self;
  private final long deadlineNanos;
  private final HostCalls calls;
  private final CompletableFuture<AttemptOutcome> outcome = new CompletableFuture<>();

  /** The hosts that are not done. Guarded by this, as the next field. */
  private final Set<Long> open = new LinkedHashSet<>();

  private final Map<Long, PassSpec> unbegun;

  AttemptCoordinator(AttemptRequest request, long self, long deadlineNanos, HostCalls calls) {
    this.request = request;
    this.self = self;
    this.deadlineNanos = deadlineNanos;
    this.calls = calls;
    open.addAll(request.specs().keySet());
    this.unbegun = new HashMap<>(request.specs());
    unbegun.remove(self);
  }

  AttemptRequest request() {
    return request;
  }

  CompletableFuture<AttemptOutcome> outcome() {
    return outcome;
  }

  synchronized Set<Long> open() {
    return new LinkedHashSet<>(open);
  }

  /** Returns the hosts that were sent nothing yet. */
  synchronized Set<Long> unbegun() {
    return Set.copyOf(unbegun.keySet());
  }

  @Override
  public CompletableFuture<List<@Nullable Object>> send(
      int wave, long host, List<GradientMessage> messages) {
    PassSpec spec;
    synchronized (this) {
      spec = unbegun.remove(host);
    }
    if (spec != null) {
      return calls.sendBegin(request, spec, wave, host, messages, deadlineNanos);
    }
    if (messages.isEmpty()) { // Gradients have begun the host already.
      return CompletableFuture.completedFuture(GradientBatchReply.empty());
    }
    return calls.sendGradients(request.pass(), wave, host, messages, deadlineNanos);
  }

  @Override
  public void done(boolean isReported) {
    hostDone(self);
  }

  @Override
  public void hostDone(long host) {
    synchronized (this) {
      if (!open.remove(host) || !open.isEmpty()) {
        return;
      }
    }
    outcome.complete(new AttemptOutcome.Done());
  }

  @Override
  public void failed(AttemptOutcome failure, Set<Long> informed) {
    fail(failure);
  }

  void fail(AttemptOutcome failure) {
    outcome.complete(failure);
  }

  /** Fails the attempt if a lost worker takes part in it. */
  void lost(long host, String name) {
    if (request.specs().containsKey(host)) {
      fail(
          new AttemptOutcome.MemberLost(
              "worker " + name + " was lost during pass " + request.pass()));
    }
  }
}
