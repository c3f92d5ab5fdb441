package io.hazelgrad.autograd.internal.calls;

import io.hazelgrad.autograd.internal.pass.AttemptOutcome;
import io.hazelgrad.autograd.internal.pass.GradientMessage;
import io.hazelgrad.autograd.internal.pass.PassSpec;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An attempt at the host that coordinates it: begins the parts of the others, each with the first
 * letter to it, and ends when all hosts are done or one has failed.
 *
 * <p>Threads: safe.
 */
final class AttemptCoordinator implements PassExecution.Host {
  private final AttemptRequest order;
  private final long self;
  private final long deadlineNanos;
  private final HostCalls calls;
  private final CompletableFuture<AttemptOutcome> outcome = new CompletableFuture<>();

  // Guarded by this.
  private final Set<Long> open = new LinkedHashSet<>();
  private final Map<Long, PassSpec> unbegun;

  AttemptCoordinator(AttemptRequest order, long self, long deadlineNanos, HostCalls calls) {
    this.order = order;
    this.self = self;
    this.deadlineNanos = deadlineNanos;
    this.calls = calls;
    this.open.addAll(order.specs().keySet());
    this.unbegun = new HashMap<>(order.specs());
    unbegun.remove(self);
  }

  AttemptRequest order() {
    return order;
  }

  CompletableFuture<AttemptOutcome> outcome() {
    return outcome;
  }

  /** Returns the hosts that are not done. */
  synchronized Set<Long> open() {
    return new LinkedHashSet<>(open);
  }

  @Override
  public CompletableFuture<List<@Nullable Object>> send(
      int wave, long host, List<GradientMessage> messages) {
    PassSpec spec;
    synchronized (this) {
      spec = unbegun.remove(host);
    }
    if (spec != null) {
      return calls.sendBegin(order, spec, wave, host, messages, deadlineNanos);
    }
    if (messages.isEmpty()) { // It should only have begun, and has meanwhile, with gradients.
      return CompletableFuture.completedFuture(
          new GradientBatchReply(null, false, List.of()).write());
    }
    return calls.sendGradients(order.pass(), wave, host, messages, deadlineNanos);
  }

  /** Returns the hosts that nothing was sent to yet. */
  synchronized Set<Long> unbegun() {
    return new LinkedHashSet<>(unbegun.keySet());
  }

  @Override
  public void done(boolean isTold) {
    heardDone(self);
  }

  @Override
  public void heardDone(long host) {
    boolean isLast;
    synchronized (this) {
      isLast = open.remove(host) && open.isEmpty();
    }
    if (isLast) {
      outcome.complete(new AttemptOutcome.Done());
    }
  }

  @Override
  public void failed(AttemptOutcome failure, Set<Long> told) {
    fail(failure);
  }

  /** Ends the attempt, unless it has ended. */
  void fail(AttemptOutcome failure) {
    outcome.complete(failure);
  }

  /** A worker is lost; without it the attempt cannot end well. */
  void lost(long host, String name) {
    if (order.specs().containsKey(host)) {
      fail(
          new AttemptOutcome.MemberLost(
              new GridException(
                  Status.WORKER_LOST,
                  "worker " + name + " was lost during pass " + order.pass(),
                  true,
                  null,
                  null)));
    }
  }
}
