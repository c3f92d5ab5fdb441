package io.hazelgrad.grid.internal.runtime;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.LifecycleEvent;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.GridListener;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.quorum.QuorumService;
import io.hazelgrad.grid.internal.runtime.GridState.Event;
import io.hazelgrad.grid.internal.serve.RequestReceiver;
import io.hazelgrad.grid.internal.tasks.PendingRequests;
import io.hazelgrad.grid.internal.tasks.TaskEndpoint;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The grid on a Hazelcast member, with the succession of its incarnations. When the member loses
 * the quorum, the worker is <i>suspended</i>: its runtime refuses work and keeps what it holds,
 * until the quorum is held again. When the member has to enter another cluster under another UUID,
 * the worker is <i>fenced</i>: its runtime ends at once, with everything that it holds, so that it
 * cannot act beside those that have given it up. When the member is part of a cluster with quorum
 * again, a new runtime begins as another incarnation under the same name.
 *
 * <p>{@link GridState} decides. A thread closes the runtime of a fenced worker and tries to join
 * until it succeeds; the other states need no thread. A member that is cut off again while it joins
 * begins anew.
 *
 * <p>Threads: safe.
 */
public final class MemberGrid extends RuntimeAccess<GridRuntime>
    implements Grid, RequestReceiver, TaskEndpoint.Host {
  private static final Logger LOG = LoggerFactory.getLogger(MemberGrid.class);
  private static final Duration START_PATIENCE = Duration.ofSeconds(15);
  private static final Duration LOOK = Duration.ofMillis(500);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  final PendingRequests pending = new PendingRequests();
  final boolean ownsInstance;
  private final ConcurrentMap<String, Object> userContext;
  private final @Nullable QuorumService quorumService;
  private final GridNews news;
  private final Consumer<Boolean> quorumListener = this::quorumChanged;
  private @Nullable UUID lifecycleListener;

  /** The incarnation that users see. */
  private volatile GridRuntime current;

  /**
   * The incarnation that receives calls. A new one receives before users see it, so that no call of
   * others is lost; the calls wait there until users see it.
   */
  private volatile GridRuntime receiving;

  /** Changed under the monitor of this, as are the three above. */
  private volatile GridState state = GridState.SERVING;

  private volatile boolean merging;

  /** Guarded by this, as is the next. */
  private @Nullable Thread rejoining;

  private boolean again;
  private volatile long fencedNanos;

  /**
   * Starts a worker on a member.
   *
   * @param ownsInstance whether closing the grid shuts the member down
   */
  static Grid start(HazelcastInstance instance, HazelgradConfig config, boolean ownsInstance) {
    if (Grid.running(instance) != null) {
      throw alreadyWorker(instance);
    }
    MemberConfiguration.requireAllMembersPrepared(instance, config);
    MemberGrid grid = new MemberGrid(instance, config, ownsInstance);
    if (instance.getUserContext().putIfAbsent(USER_CONTEXT_KEY, grid) != null) {
      grid.end();
      throw alreadyWorker(instance);
    }
    try {
      grid.start();
    } catch (Throwable e) {
      instance.getUserContext().remove(USER_CONTEXT_KEY, grid);
      grid.end();
      throw e;
    }
    LOG.info("worker {} joined the grid with id {}", grid.worker().name(), grid.worker().id());
    return grid;
  }

  private static GridException alreadyWorker(HazelcastInstance instance) {
    return new GridException(
        Status.BAD_CONFIG,
        "the Hazelcast instance %s is a worker already: close its grid first"
            .formatted(instance.getName()));
  }

  private MemberGrid(HazelcastInstance hazelcast, HazelgradConfig config, boolean ownsInstance) {
    super(hazelcast, config);
    this.userContext = hazelcast.getUserContext(); // Hazelcast refuses to give it after a shutdown.
    this.ownsInstance = ownsInstance;
    this.news = new GridNews(config.name());
    this.quorumService = QuorumService.of(hazelcast);
    if (quorumService != null && !quorumService.await(START_PATIENCE)) {
      throw new GridException(
          Status.NO_QUORUM,
          ("the cluster of %s has no quorum: %s. Wait until the others are back; if they are gone"
                  + " for good, start all members anew")
              .formatted(hazelcast.getCluster().getMembers(), quorumService.shortage()));
    }
    this.current = new GridRuntime(this, hazelcast, config);
    this.receiving = current;
  }

  private void start() {
    lifecycleListener = hazelcast.getLifecycleService().addLifecycleListener(this::lifecycle);
    if (quorumService != null) {
      quorumService.onChange(quorumListener);
    }
    current.start();
    current.open();
    quorumChanged(); // Perhaps it was lost before we listened.
  }

  @Override
  public void receive(Request request, Consumer<Reply> replyTo) {
    receiving.callee.receive(request, replyTo);
  }

  @Override
  public TaskEndpoint tasks() {
    return receiving.endpoint;
  }

  @Override
  GridRuntime current() {
    return current;
  }

  @Override
  public Worker worker() {
    return current.self();
  }

  @Override
  public int activeCalls() {
    return current.callee.active();
  }

  @Override
  public boolean isFenced() {
    return state == GridState.REJOINING || isSuspended();
  }

  @Override
  public boolean isSuspended() {
    return state == GridState.SUSPENDED;
  }

  @Override
  public Duration rejoiningFor() {
    return state == GridState.REJOINING
        ? Duration.ofNanos(System.nanoTime() - fencedNanos)
        : Duration.ZERO;
  }

  @Override
  public void addListener(GridListener listener) {
    news.add(listener);
  }

  @Override
  public void removeListener(GridListener listener) {
    news.remove(listener);
  }

  @Override
  public String toString() {
    return "Grid(" + worker().name() + ")";
  }

  private void lifecycle(LifecycleEvent event) {
    switch (event.getState()) {
      case MERGING -> {
        merging = true;
        fence("its member enters another cluster, after a split of the network");
      }
      case MERGED, MERGE_FAILED -> merging = false;
      case SHUTDOWN -> GridNews.guarded(this::end); // By somebody else; threads and calls must end.
      default -> {}
    }
  }

  private void quorumChanged(boolean held) {
    quorumChanged(); // It may be out of date: two changes may arrive in the wrong order.
  }

  /** Suspends the worker or lets it resume, as the quorum is now. Does not block. */
  private synchronized void quorumChanged() {
    if (quorumService == null) {
      return;
    }
    boolean held = quorumService.isHeld();
    GridState before = state;
    GridState next = before.after(held ? Event.QUORUM_HELD : Event.QUORUM_LOST);
    again |= before == GridState.REJOINING && !held;
    if (next == before) {
      return;
    }
    if (next == GridState.SUSPENDED) {
      suspend(quorumService.shortage());
    } else {
      state = next;
      current.resume();
      LOG.info("worker {} resumed with all that it held", current.self());
      Worker self = current.self();
      news.tell(listener -> listener.resumed(self));
    }
  }

  private void suspend(String shortage) {
    Worker self = current.self();
    String message =
        ("worker %s (id %s) is suspended: it is cut off from most of the other members: %s. It keeps"
                + " its objects and references, and resumes by itself when it sees them again or"
                + " when those that died are started anew at their addresses")
            .formatted(self.name(), self.id(), shortage);
    GridException reason = new GridException(Status.FENCED, message, false, null, null);
    LOG.warn("{}", message);
    current.suspend(reason);
    state = GridState.SUSPENDED; // Last: whoever sees it is refused from now on.
    news.tell(listener -> listener.suspended(self, reason));
  }

  /** Ends the worker; it joins anew as soon as that is possible. Does not block. */
  private void fence(String why) {
    synchronized (this) {
      if (state == GridState.CLOSED) {
        return;
      }
      if (rejoining != null) {
        again = true;
        return;
      }
      fencedNanos = System.nanoTime();
      state = state.after(Event.MERGE_BEGUN);
      GridRuntime old = current;
      String message =
          ("worker %s (id %s) was fenced: %s. It joins anew by itself; get services and references"
                  + " anew from its grid")
              .formatted(old.self().name(), old.self().id(), why);
      GridException reason = new GridException(Status.FENCED, message, true, null, null);
      LOG.warn("{}", reason.getMessage());
      old.fence(reason);
      Thread thread =
          new Thread(() -> rejoin(old, reason), "hazelgrad-" + config.name() + "-rejoin");
      thread.setDaemon(true);
      rejoining = thread;
      thread.start();
    }
  }

  private void rejoin(GridRuntime old, GridException reason) {
    old.close();
    news.tell(listener -> listener.fenced(old.self(), reason));
    GridRuntime fresh = null;
    while (fresh == null) {
      if (mayTry()) {
        fresh = tryToJoin();
      }
      if (fresh == null) {
        if (isClosed()) {
          return;
        }
        LockSupport.parkNanos(this, PAUSE_NANOS);
      }
    }
    Worker worker = fresh.self();
    LOG.info("worker {} joined the grid anew with id {}", worker.name(), worker.id());
    news.tell(listener -> listener.rejoined(worker));
  }

  @Override
  public boolean isClosed() {
    return state == GridState.CLOSED;
  }

  /** Returns whether the member is in a cluster with quorum; waits a little for it. */
  private boolean mayTry() {
    // Again after it: the quorum comes by the merge, a moment before it is over. Who joined
    // meanwhile would have to leave at once, and others would have called a worker that is none.
    return isSettled() && (quorumService == null || quorumService.await(LOOK)) && isSettled();
  }

  private boolean isSettled() {
    return !isClosed() && !merging && hazelcast.getLifecycleService().isRunning();
  }

  /** Makes the next incarnation; null if it does not succeed, or not any more. */
  private @Nullable GridRuntime tryToJoin() {
    synchronized (this) {
      again = false;
    }
    GridRuntime fresh = null;
    try {
      fresh = new GridRuntime(this, hazelcast, config);
      receiving = fresh;
      fresh.start();
      if (publish(fresh)) {
        fresh.open();
        quorumChanged(); // Perhaps it was lost before this attempt began.
        return fresh;
      }
    } catch (RuntimeException e) {
      LOG.warn("worker {} cannot join anew yet: {}", config.name(), e.toString());
    }
    if (fresh != null) {
      fresh.fence(Objects.requireNonNull(current.ended()));
      fresh.close();
    }
    return null;
  }

  /** Lets users see the next incarnation; false if that is over already. */
  private synchronized boolean publish(GridRuntime fresh) {
    if (isClosed() || again || merging) {
      return false;
    }
    current = fresh;
    rejoining = null;
    state = state.after(Event.REJOINED);
    return true;
  }

  @Override
  public void close() {
    try {
      end();
    } finally {
      userContext.remove(USER_CONTEXT_KEY, this);
      if (ownsInstance) {
        endMember();
      }
    }
  }

  private void endMember() {
    if (current.leavesWithAll()) {
      hazelcast.getLifecycleService().terminate(); // No member stays to take this one's data.
    } else {
      hazelcast.getLifecycleService().shutdown();
    }
  }

  private void end() {
    Thread waitFor;
    boolean first;
    synchronized (this) {
      first = !isClosed();
      GridException suspended = current.suspended();
      state = state.after(Event.CLOSED);
      waitFor = rejoining;
      if (suspended != null) { // It cannot tell the others that it leaves.
        current.fence(suspended);
      }
    }
    if (quorumService != null) {
      quorumService.removeListener(quorumListener);
    }
    if (lifecycleListener != null) {
      try {
        hazelcast.getLifecycleService().removeLifecycleListener(lifecycleListener);
      } catch (RuntimeException e) {
        LOG.debug("the member is gone, and its listeners with it", e);
      }
    }
    if (waitFor != null) {
      LockSupport.unpark(waitFor);
    }
    try {
      current.close();
    } finally {
      if (first) {
        news.tellNow(GridListener::closed);
      }
    }
  }
}
