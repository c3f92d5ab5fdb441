package io.hazelgrad.rref.internal.handle;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.protocol.ForkId;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One handle of an RRef as its holder keeps it: open, until it is closed; and after that held on to
 * as long as a message is under way that carries it or needs it (a pin). Then, once, its fork is
 * released. So a parent goes only after its child is known or refused.
 *
 * <p>Threads: safe.
 */
public final class RRefHandle {
  private final RRefId id;
  private final boolean durable;
  private final ForkId fork;
  private final HandleTable home;
  private final HandleOrigin origin;
  private final long sinceNanos = System.nanoTime();

  /** Ends when the owner has confirmed the creation, or it failed; ended for received handles. */
  private final CompletableFuture<Void> creation;

  /** Changes only if the object is durable. */
  private volatile Worker owner;

  /** The last round that saw the fork in the registry; of the thread that does the rounds. */
  private int lastSeen;

  private boolean closed;
  private boolean released;
  private int pins;
  private @Nullable CallHandles scope;

  /** How many objects of this worker contain this handle; it is closed with the last. */
  private int containers;

  /** What is thrown when the handle is used after it was closed. */
  private @Nullable GridException unusable;

  /** For a local object: its registration, once it was shared. Null before, and for others. */
  private @Nullable CompletableFuture<?> registration;

  RRefHandle(
      RRefId id,
      Worker owner,
      boolean durable,
      ForkId fork,
      HandleTable home,
      HandleOrigin origin,
      CompletableFuture<Void> creation) {
    this.id = id;
    this.owner = owner;
    this.durable = durable;
    this.fork = fork;
    this.home = home;
    this.origin = origin;
    this.creation = creation;
  }

  public RRefId id() {
    return id;
  }

  public Worker owner() {
    return owner;
  }

  public boolean isDurable() {
    return durable;
  }

  /** Another worker has become the owner. */
  public void moveTo(Worker next) {
    owner = next;
  }

  public ForkId fork() {
    return fork;
  }

  public HandleOrigin origin() {
    return origin;
  }

  long ageMillis() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sinceNanos);
  }

  public CompletableFuture<Void> creation() {
    return creation;
  }

  public synchronized boolean isClosed() {
    return closed;
  }

  /**
   * Holds the handle on for a message.
   *
   * @throws GridException RREF_CLOSED if it is closed already
   */
  public synchronized void pin() {
    requireOpen();
    pins++;
  }

  /**
   * Refuses what needs an open handle.
   *
   * @throws GridException RREF_CLOSED if it is closed, or what closed it
   */
  public synchronized void requireOpen() {
    if (closed) {
      throw unusable == null ? closed("") : unusable;
    }
  }

  private GridException closed(String by) {
    return new GridException(
        Status.RREF_CLOSED, id + " cannot be used after this handle was closed" + by);
  }

  public void unpin() {
    boolean now;
    synchronized (this) {
      pins--;
      now = isDue();
    }
    if (now) {
      home.release(this);
    }
  }

  public void close() {
    close(null);
  }

  /** Closes the handle; whoever uses it later learns why. */
  public void closeBecause(String reason) {
    close(closed(": " + reason));
  }

  /** Closes the handle, since the registry says that it stands for nothing any more. */
  public void fail(GridException failure) {
    close(failure);
  }

  private void close(@Nullable GridException because) {
    boolean now;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      unusable = because;
      now = isDue();
    }
    if (now) {
      home.release(this);
    }
  }

  private boolean isDue() {
    if (!closed || pins > 0 || released) {
      return false;
    }
    released = true;
    return true;
  }

  /** Lets a call close this handle when it ends, unless it is kept. */
  synchronized void enter(CallHandles callScope) {
    scope = callScope;
  }

  public synchronized void keep() {
    scope = null;
  }

  void leave(CallHandles ending) {
    synchronized (this) {
      if (scope != ending) {
        return;
      }
      scope = null;
    }
    closeBecause(
        "it came or was made in a call of "
            + ending.function()
            + ", which closed it at its end; call keep() on it there to hold it longer");
  }

  /** Keeps the handle for an object of this worker that contains it. */
  public synchronized void enterObject() {
    scope = null;
    containers++;
  }

  /** An object that contained the handle is gone. */
  public void leaveObject() {
    synchronized (this) {
      containers--;
      if (containers > 0) {
        return;
      }
    }
    closeBecause("it was part of an object that was dropped");
  }

  /** Notes that a round of {@link ForkReconciliation} saw the fork in the registry. */
  void seenIn(int round) {
    lastSeen = round;
  }

  boolean wasSeenIn(int round) {
    return lastSeen == round;
  }

  /**
   * Returns whether the registry was told of the fork, and did not say that it stands for nothing.
   */
  synchronized boolean isEntered() {
    boolean created = creation.isDone() && !creation.isCompletedExceptionally();
    return created && (registration == null ? !home.isLocal(this) : registration.isDone());
  }

  public boolean isOf(HandleTable handles) {
    return home == handles;
  }

  /** Marks a handle closed of which nobody but this worker knows; nothing is released. */
  synchronized void forget() {
    closed = true;
    released = true;
  }

  /** Registers a local object the first time it is shared; does nothing for others. */
  public synchronized void share() {
    if (registration == null && home.isLocal(this)) {
      registration = home.register(this);
    }
  }

  /** Returns the registration of a local object, null if it was never shared. */
  public synchronized @Nullable CompletableFuture<?> registration() {
    return registration;
  }

  @Override
  public String toString() {
    return id + ", " + fork + ", owner " + owner.name();
  }
}
