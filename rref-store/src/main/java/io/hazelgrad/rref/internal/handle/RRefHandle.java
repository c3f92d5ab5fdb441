package io.hazelgrad.rref.internal.handle;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.protocol.ForkId;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The state of one handle of an RRef. A message that carries or needs the handle pins it. When the
 * handle is closed and has no pin, its fork is released, once. A parent is therefore released only
 * after its child is claimed or refused. Threads: safe.
 */
public final class RRefHandle {
  private final RRefId id;
  private final boolean durable;
  private final ForkId fork;
  private final boolean local;
  private final Consumer<RRefHandle> release;
  private final HandleOrigin origin;
  private final long sinceNanos = System.nanoTime();

  /** Ends when the owner has confirmed the creation or it failed; done for received handles. */
  private final CompletableFuture<Void> creation;

  /** The name of the object's class; null while it is not known here, and for null. */
  private volatile @Nullable String type;

  /** Changes only if the object is durable. */
  private volatile Worker owner;

  /** The last round of {@link ForkReconciliation} that found the fork; used in rounds only. */
  int lastSeen;

  private boolean closed;
  private boolean released;
  private int pins;
  private @Nullable CallHandles scope;

  /** The number of objects of this worker that contain this handle; the last one closes it. */
  private int containers;

  /** The error for uses after the handle was closed; null for the default one. */
  private @Nullable GridException unusable;

  /** The registration of a local object that was sent; null before, and for other objects. */
  private @Nullable CompletableFuture<?> registration;

  RRefHandle(
      RRefId id,
      Worker owner,
      boolean durable,
      boolean local,
      ForkId fork,
      Consumer<RRefHandle> release,
      HandleOrigin origin,
      CompletableFuture<Void> creation) {
    this.id = id;
    this.owner = owner;
    this.durable = durable;
    this.fork = fork;
    this.local = local;
    this.release = release;
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

  public @Nullable String type() {
    return type;
  }

  /** Remembers the class of the object; not of a durable one, whose next owner may make another. */
  public void learnType(@Nullable String known) {
    if (!durable) {
      type = known;
    }
  }

  /** Sets the worker that has become the owner. */
  public void moveTo(Worker next) {
    owner = next;
  }

  /** Returns whether this is the first handle of an object made here without a call. */
  boolean isLocal() {
    return local;
  }

  public ForkId fork() {
    return fork;
  }

  public HandleOrigin origin() {
    return origin;
  }

  public long ageMillis() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sinceNanos);
  }

  public CompletableFuture<Void> creation() {
    return creation;
  }

  public boolean isConfirmed() {
    return creation.isDone() && !creation.isCompletedExceptionally();
  }

  public synchronized boolean isClosed() {
    return closed;
  }

  /** Keeps the fork for a message until {@link #unpin}; throws as {@link #requireOpen}. */
  public synchronized void pin() {
    requireOpen();
    pins++;
  }

  /** Throws RREF_CLOSED, or what closed the handle, if it is closed. */
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
      release.accept(this);
    }
  }

  public void close() {
    fail(null);
  }

  /** Closes the handle for a reason, which later uses report. */
  public void closeBecause(String reason) {
    fail(closed(": " + reason));
  }

  /** Closes the handle; later uses report the error, or the default one if it is null. */
  public void fail(@Nullable GridException because) {
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
      release.accept(this);
    }
  }

  private boolean isDue() {
    if (!closed || pins > 0 || released) {
      return false;
    }
    released = true;
    return true;
  }

  /** Puts the handle into a call, which closes it at its end unless it is kept. */
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
        "it was received or made in a call of "
            + ending.function
            + ", which closed it at its end; call keep() on it there to hold it longer");
  }

  /** Keeps the handle for an object of this worker that contains it. */
  public synchronized void enterObject() {
    scope = null;
    containers++;
  }

  /** Notes that an object that contained the handle was dropped. */
  public void leaveObject() {
    synchronized (this) {
      if (--containers > 0) {
        return;
      }
    }
    closeBecause("it was part of an object that was dropped");
  }

  /** Returns whether the registry knows the fork, as far as its replies tell. */
  synchronized boolean isEntered() {
    return isConfirmed() && (registration == null ? !local : registration.isDone());
  }

  boolean isReleasedBy(Consumer<RRefHandle> other) {
    return release == other;
  }

  /** Closes a handle that nobody else knows; nothing is released. */
  synchronized void forget() {
    closed = true;
    released = true;
  }

  /** Registers a local object the first time its handle is sent; does nothing for other handles. */
  public synchronized void share(Function<RRefHandle, CompletableFuture<?>> register) {
    if (local && registration == null) {
      registration = register.apply(this);
    }
  }

  public synchronized @Nullable CompletableFuture<?> registration() {
    return registration;
  }

  @Override
  public String toString() {
    return id + ", " + fork + ", owner " + owner.name();
  }
}
