package io.hazelgrad.rref.internal.object;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.handle.RRefHandle;
import io.hazelgrad.rref.internal.protocol.ForkId;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The object of an RRef in its owner's memory, or the wait for it. The future ends when the object
 * is made, when its creation fails, or when it can never be made any more. Threads: safe; it may be
 * dropped while it is being made.
 */
public final class OwnedObject {
  private static final Logger LOG = LoggerFactory.getLogger(OwnedObject.class);

  /** The object and what is released with it. */
  private record Content(@Nullable Object object, List<RRefHandle> handles, long bytes) {}

  /** Stands for an object that was dropped. */
  private static final Content DROPPED = new Content(null, List.of(), 0);

  private final RRefId id;
  private final OwnedObjects objects;
  private final long sinceNanos = System.nanoTime();
  private final CompletableFuture<@Nullable Object> value = new CompletableFuture<>();
  private final AtomicReference<@Nullable Content> content = new AtomicReference<>();

  /** True if the creation was started here; before that, calls only wait for the object. */
  private volatile boolean created;

  /** True if the registry knows the object; always false for a local object. */
  private volatile boolean entered;

  private final AtomicBoolean polling = new AtomicBoolean();

  /** The number of waits for the object. Used by the table only. */
  int waiting;

  /** The fork of the first handle of a local object; null for others. */
  private volatile @Nullable ForkId localFork;

  /** The reason of the drop; null before. */
  private volatile @Nullable GridException dropped;

  /** The durable side of the object; null if it is not durable or not made. */
  private volatile @Nullable DurableObject durable;

  OwnedObject(RRefId id, OwnedObjects objects) {
    this.id = id;
    this.objects = objects;
  }

  public RRefId id() {
    return id;
  }

  long ageNanos() {
    return System.nanoTime() - sinceNanos;
  }

  public CompletableFuture<@Nullable Object> value() {
    return value;
  }

  public boolean isMade() {
    return value.isDone() && !value.isCompletedExceptionally();
  }

  /** Returns the name of the made object's class as users see it; null for null. */
  public @Nullable String type() {
    return typeOf(value.getNow(null));
  }

  public boolean isCreated() {
    return created;
  }

  void markCreated() {
    created = true;
  }

  public boolean isEntered() {
    return entered;
  }

  public void markEntered() {
    entered = true;
  }

  public @Nullable DurableObject durable() {
    return durable;
  }

  /** Makes the object durable before it is set. */
  public void setDurable(DurableObject kept) {
    durable = kept;
    if (value.handle((made, failure) -> failure).getNow(null) instanceof GridException dropped) {
      kept.dropped(dropped); // Either this thread or drop() sees the end.
    }
  }

  /** Returns true the first time: one poll of the registry serves all waits. */
  boolean startPolling() {
    return polling.compareAndSet(false, true);
  }

  public void setLocal(@Nullable Object object, ForkId fork) {
    localFork = fork;
    set(object, List.of());
  }

  /** Returns the bytes of the object when it was made; -1 before. */
  public long bytes() {
    Content made = content.get();
    return made == null ? -1 : made.bytes();
  }

  public @Nullable ForkId localFork() {
    return localFork;
  }

  /**
   * Sets the object and the handles inside it, which stay open as long as the object. If the wait
   * for it ended meanwhile, the object is released at once.
   *
   * @throws GridException REJECTED if this worker has no room for it; then nothing is set
   */
  public void set(@Nullable Object object, List<RRefHandle> handles) {
    long bytes = ByteCount.of(object);
    objects.limits().takeBytes(bytes);
    Content made = new Content(object, List.copyOf(handles), bytes);
    handles.forEach(RRefHandle::enterObject);
    objects.retain(object);
    if (!content.compareAndSet(null, made)) {
      release(made);
    } else if (!value.complete(object)) {
      release(content.getAndSet(DROPPED));
    }
  }

  /** Closes an object for which there is no room. */
  public void discard(@Nullable Object object) {
    objects.retain(object);
    release(new Content(object, List.of(), 0));
  }

  public void fail(GridException failure) {
    value.completeExceptionally(failure);
  }

  /**
   * Returns the object for a call, which must call {@link #endUse} at its end. The object is not
   * closed before that. A call that waited for the object gets it even if it was dropped since.
   *
   * @throws GridException the reason of the drop, if the object is closed already
   */
  public @Nullable Object use() {
    if (!value.isDone()) {
      throw new IllegalStateException(id + " was not waited for");
    }
    Object made = value.join();
    if (!objects.use(made)) {
      throw Objects.requireNonNull(dropped);
    }
    return made;
  }

  /** Ends the use by a call; if the object is to be closed now, the background closes it. */
  public void endUse(Executor background) {
    Object made = value.join();
    if (objects.release(made)) {
      background.execute(() -> close(made));
    }
  }

  /** Drops the object: closes it if it can be closed, and the handles inside it. */
  void drop(GridException reason) {
    dropped = reason;
    Content made = content.getAndSet(DROPPED);
    fail(reason);
    DurableObject kept = durable;
    if (kept != null) {
      kept.dropped(reason);
    }
    release(made);
  }

  private void release(@Nullable Content made) {
    if (made == null) {
      return;
    }
    objects.limits().giveBytes(made.bytes());
    if (objects.release(made.object())) {
      close(made.object());
    }
    made.handles().forEach(RRefHandle::leaveObject);
  }

  /** Returns the error for calls that reach a worker that the object has left. */
  public static GridException moved(RRefId id) {
    return new GridException(
        Status.WORKER_LOST, id + " has moved: another worker is its owner or will be");
  }

  /** Returns the name of an object's class as users see it; null for null. */
  public static @Nullable String typeOf(@Nullable Object value) {
    if (value == null) {
      return null;
    }
    return value instanceof RRef<?> ? RRef.class.getName() : value.getClass().getName();
  }

  private void close(@Nullable Object object) {
    if (object instanceof AutoCloseable closeable) {
      try {
        closeable.close();
      } catch (Exception
          | LinkageError
          | AssertionError e) { // User code; the object is dropped in any case.
        LOG.warn("closing the object of {} failed", id, e);
      }
    }
  }
}
