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
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The worker that a grid's member is, one after the other. When the member loses the quorum or has
 * to enter another cluster, under another UUID, the worker is <i>fenced</i>: its runtime ends at
 * once, with everything that it holds, so that it can do no harm beside those who have given it up.
 * When the member is part of a cluster with quorum again, a new runtime begins as another
 * incarnation under the same name.
 *
 * <p>States: joined (no thread), fenced (a thread closes the old runtime and tries to join until it
 * succeeds), closed. A member that is cut off again while it joins begins anew.
 *
 * <p>Threads: safe.
 */
public final class Incarnations {
  private static final Logger LOG = LoggerFactory.getLogger(Incarnations.class);
  private static final Duration START_PATIENCE = Duration.ofSeconds(15);
  private static final Duration LOOK = Duration.ofMillis(500);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private final Grid grid;
  private final HazelcastInstance hazelcast;
  private final HazelgradConfig config;
  private final @Nullable QuorumService keeper;
  private final List<GridListener> listeners = new CopyOnWriteArrayList<>();
  private final Consumer<Boolean> quorumListener = this::quorumChanged;
  private @Nullable UUID lifecycleListener;

  /** The one that users see. */
  private volatile GridRuntime current;

  /**
   * The one that calls reach: a new one before users see it, so that no call of others is lost;
   * they wait there until it is seen.
   */
  private volatile GridRuntime receiving;

  private volatile boolean merging;
  private boolean closed;

  /** Guarded by this, as are the next and the two above. */
  private @Nullable Thread rejoining;

  private boolean again;

  public Incarnations(Grid grid, HazelcastInstance hazelcast, HazelgradConfig config) {
    this.grid = grid;
    this.hazelcast = hazelcast;
    this.config = config;
    this.keeper = QuorumService.of(hazelcast);
    if (keeper != null && !keeper.await(START_PATIENCE)) {
      throw new GridException(
          Status.NO_QUORUM,
          "the cluster of "
              + hazelcast.getCluster().getMembers()
              + " has no quorum: "
              + keeper.shortage()
              + ". Wait until the others are back; if they are gone for good, start all members"
              + " anew");
    }
    this.current = new GridRuntime(grid, hazelcast, config);
    this.receiving = current;
  }

  public GridRuntime current() {
    return current;
  }

  public GridRuntime receiving() {
    return receiving;
  }

  public synchronized boolean isFenced() {
    return rejoining != null;
  }

  public void add(GridListener listener) {
    listeners.add(listener);
  }

  public void remove(GridListener listener) {
    listeners.remove(listener);
  }

  public void start() {
    lifecycleListener = hazelcast.getLifecycleService().addLifecycleListener(this::lifecycle);
    if (keeper != null) {
      keeper.onChange(quorumListener);
    }
    current.start();
    current.open();
    if (keeper != null && !keeper.isHeld()) { // Lost before we listened.
      quorumChanged(false);
    }
  }

  private void lifecycle(LifecycleEvent event) {
    switch (event.getState()) {
      case MERGING -> {
        merging = true;
        fence("its member enters another cluster, after a split of the network");
      }
      case MERGED, MERGE_FAILED -> merging = false;
      case SHUTDOWN -> close(); // Somebody else shut the member down; threads and calls must end.
      default -> {}
    }
  }

  private void quorumChanged(boolean held) {
    if (!held) {
      QuorumService known = Objects.requireNonNull(keeper); // Nobody else tells.
      fence("it is cut off from most of the other members: " + known.shortage());
    }
  }

  /** Ends the worker; it joins anew as soon as that is possible. Does not block. */
  private void fence(String why) {
    synchronized (this) {
      if (closed) {
        return;
      }
      if (rejoining != null) {
        again = true;
        return;
      }
      GridRuntime old = current;
      GridException reason =
          new GridException(
              Status.FENCED,
              "worker "
                  + old.self().name()
                  + " (id "
                  + old.self().id()
                  + ") was fenced: "
                  + why
                  + ". It joins anew by itself; get services and references anew from its grid",
              true,
              null,
              null);
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
    listeners.forEach(listener -> tell(() -> listener.fenced(old.self(), reason)));
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
    listeners.forEach(listener -> tell(() -> listener.rejoined(worker)));
  }

  public synchronized boolean isClosed() {
    return closed;
  }

  /** Returns whether the member is in a cluster with quorum; waits a little for it. */
  private boolean mayTry() {
    // Again after it: the quorum comes by the merge, a moment before it is over. Who joined
    // meanwhile would have to leave at once, and others would have called a worker that is none.
    return isSettled() && (keeper == null || keeper.await(LOOK)) && isSettled();
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
      fresh = new GridRuntime(grid, hazelcast, config);
      receiving = fresh;
      fresh.start();
      if (publish(fresh)) {
        fresh.open();
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
    if (closed || again || merging) {
      return false;
    }
    current = fresh;
    rejoining = null;
    return true;
  }

  private static void tell(Runnable news) {
    try {
      news.run();
    } catch (RuntimeException e) {
      LOG.warn("a listener of the grid threw", e);
    }
  }

  public void close() {
    Thread waitFor;
    boolean first;
    synchronized (this) {
      first = !closed;
      closed = true;
      waitFor = rejoining;
    }
    if (keeper != null) {
      keeper.removeListener(quorumListener);
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
    current.close();
    if (first) {
      listeners.forEach(listener -> tell(listener::closed));
    }
  }
}
