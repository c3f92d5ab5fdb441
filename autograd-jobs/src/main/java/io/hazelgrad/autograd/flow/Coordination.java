package io.hazelgrad.autograd.flow;

import io.hazelgrad.autograd.jet.GradientMessage;
import io.hazelgrad.autograd.jet.Outcome;
import io.hazelgrad.autograd.jet.PassSpec;
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
final class Coordination implements Flow.Host {
  private final Order order;
  private final long self;
  private final long deadlineNanos;
  private final HostCalls calls;
  private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();

  // Guarded by this.
  private final Set<Long> open = new LinkedHashSet<>();
  private final Map<Long, PassSpec> unbegun;

  Coordination(Order order, long self, long deadlineNanos, HostCalls calls) {
    this.order = order;
    this.self = self;
    this.deadlineNanos = deadlineNanos;
    this.calls = calls;
    this.open.addAll(order.specs().keySet());
    this.unbegun = new HashMap<>(order.specs());
    unbegun.remove(self);
  }

  Order order() {
    return order;
  }

  CompletableFuture<Outcome> outcome() {
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
      return CompletableFuture.completedFuture(new Answer(null, false, List.of()).write());
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
      outcome.complete(new Outcome.Done());
    }
  }

  @Override
  public void failed(Outcome failure, Set<Long> told) {
    fail(failure);
  }

  /** Ends the attempt, unless it has ended. */
  void fail(Outcome failure) {
    outcome.complete(failure);
  }

  /** A worker is lost; without it the attempt cannot end well. */
  void lost(long host, String name) {
    if (order.specs().containsKey(host)) {
      fail(
          new Outcome.MemberLost(
              new GridException(
                  Status.WORKER_LOST,
                  "worker " + name + " was lost during pass " + order.pass(),
                  true,
                  null,
                  null)));
    }
  }
}
