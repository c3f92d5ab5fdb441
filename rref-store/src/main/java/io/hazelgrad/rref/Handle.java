package io.hazelgrad.rref;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One handle of an RRef as its holder keeps it: open, until it is closed; and after that held on to
 * as long as a message is under way that carries it or needs it (a pin). Then, once, its fork is
 * released. So a parent goes only after its child is known or refused.
 *
 * <p>Threads: safe.
 */
final class Handle {
  private final RRefId id;
  private final Worker owner;
  private final ForkId fork;
  private final Handles home;

  /** Ends when the owner has confirmed the creation, or it failed; ended for received handles. */
  private final CompletableFuture<Void> creation;

  private boolean closed;
  private boolean released;
  private int pins;
  private @Nullable CallScope scope;
  private @Nullable String closedBy;

  /** For a local object: its registration, once it was shared. Null before, and for others. */
  private @Nullable CompletableFuture<?> registration;

  Handle(RRefId id, Worker owner, ForkId fork, Handles home, CompletableFuture<Void> creation) {
    this.id = id;
    this.owner = owner;
    this.fork = fork;
    this.home = home;
    this.creation = creation;
  }

  RRefId id() {
    return id;
  }

  Worker owner() {
    return owner;
  }

  ForkId fork() {
    return fork;
  }

  CompletableFuture<Void> creation() {
    return creation;
  }

  synchronized boolean isClosed() {
    return closed;
  }

  /**
   * Holds the handle on for a message.
   *
   * @throws GridException RREF_CLOSED if it is closed already
   */
  synchronized void pin() {
    if (closed) {
      throw new GridException(
          Status.RREF_CLOSED,
          id + " cannot be used after this handle was closed" + (closedBy == null ? "" : closedBy));
    }
    pins++;
  }

  void unpin() {
    boolean now;
    synchronized (this) {
      pins--;
      now = isDue();
    }
    if (now) {
      home.release(this);
    }
  }

  void close() {
    close(null);
  }

  private void close(@Nullable String by) {
    boolean now;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      closedBy = by;
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
  synchronized void enter(CallScope callScope) {
    scope = callScope;
  }

  synchronized void keep() {
    scope = null;
  }

  void leave(CallScope ending) {
    synchronized (this) {
      if (scope != ending) {
        return;
      }
      scope = null;
    }
    close(
        ": it came or was made in a call of "
            + ending.function()
            + ", which closed it at its end; call keep() on it there to hold it longer");
  }

  boolean isOf(Handles handles) {
    return home == handles;
  }

  /** Marks a handle closed of which nobody but this worker knows; nothing is released. */
  synchronized void forget() {
    closed = true;
    released = true;
  }

  /** Registers a local object the first time it is shared; does nothing for others. */
  void share() {
    synchronized (this) {
      if (registration != null || !home.isLocal(this)) {
        return;
      }
      registration = home.register(this);
    }
  }

  /** Returns the registration of a local object, null if it was never shared. */
  synchronized @Nullable CompletableFuture<?> registration() {
    return registration;
  }

  @Override
  public String toString() {
    return id + ", " + fork + ", owner " + owner.name();
  }
}
