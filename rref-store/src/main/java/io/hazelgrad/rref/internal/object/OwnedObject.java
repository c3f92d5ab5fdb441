package io.hazelgrad.rref.internal.object;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.durable.DurableObject;
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
 * The object of an RRef in its owner's memory, or the wait for it: the future ends when the object
 * was made, when making it failed, or when it is known that it never will be.
 *
 * <p>Threads: safe; it may be dropped while it is being made.
 */
public final class OwnedObject {
  private static final Logger LOG = LoggerFactory.getLogger(OwnedObject.class);

  /** What is let go of with the object. */
  private record Content(@Nullable Object object, List<RRefHandle> handles, long bytes) {}

  /** There is nothing to let go of any more. */
  private static final Content DROPPED = new Content(null, List.of(), 0);

  private final RRefId id;
  private final OwnedObjects home;
  private final long sinceNanos = System.nanoTime();
  private final CompletableFuture<@Nullable Object> value = new CompletableFuture<>();
  private final AtomicReference<@Nullable Content> content = new AtomicReference<>();

  /** Whether the work that makes it was started here; before, only somebody asked for it. */
  private volatile boolean created;

  /** Whether the registry knows it; false as well for an object that was made without a call. */
  private volatile boolean entered;

  private final AtomicBoolean looking = new AtomicBoolean();

  /** How many ask for an object of which nothing was heard. Changed by the table only. */
  private int waiting;

  /** The first handle of an object that was made here without a call; null for others. */
  private volatile @Nullable ForkId localFork;

  /** Why the object was dropped; null before. */
  private volatile @Nullable GridException dropped;

  /** What keeps the object if it is durable. */
  private volatile @Nullable DurableObject durable;

  OwnedObject(RRefId id, OwnedObjects home) {
    this.id = id;
    this.home = home;
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

  /** Returns what keeps the object, or null if it is not durable, or not made. */
  public @Nullable DurableObject durable() {
    return durable;
  }

  /** Makes the object durable, which is to be set next. */
  public void keepBy(DurableObject kept) {
    durable = kept;
    if (value.handle((made, failure) -> failure).getNow(null) instanceof GridException dropped) {
      kept.dropped(dropped); // Here or in drop(): one of the two sees it.
    }
  }

  /** Returns true the first time: one of those who wait asks for all. */
  boolean startLooking() {
    return looking.compareAndSet(false, true);
  }

  int addWaiting(int change) {
    waiting += change;
    return waiting;
  }

  /** Sets a local object and its first handle's fork. */
  public void setLocal(@Nullable Object object, ForkId fork) {
    localFork = fork;
    set(object, List.of());
  }

  /** Returns how many bytes the object had when it was made, -1 before. */
  public long bytes() {
    Content made = content.get();
    return made == null ? -1 : made.bytes();
  }

  public @Nullable ForkId localFork() {
    return localFork;
  }

  /**
   * Sets the object, with the handles inside it that shall live as long as it does. If the object
   * was dropped meanwhile, it is let go of at once.
   *
   * @throws GridException REJECTED if this worker has no room for it; then nothing is set
   */
  public void set(@Nullable Object object, List<RRefHandle> handles) {
    long bytes = ByteCount.of(object);
    home.limits().takeBytes(bytes);
    Content made = new Content(object, List.copyOf(handles), bytes);
    handles.forEach(RRefHandle::enterObject);
    home.retain(object);
    if (!content.compareAndSet(null, made)) {
      letGo(made);
    } else if (!value.complete(object)) {
      letGo(content.getAndSet(DROPPED));
    }
  }

  /** Lets go of what was made, since there is no room for it. */
  void letGoOf(@Nullable Object object) {
    home.retain(object);
    letGo(new Content(object, List.of(), 0));
  }

  void fail(GridException failure) {
    value.completeExceptionally(failure);
  }

  /**
   * Returns the object for a call, which says with {@link #endUse} that it has ended; if the object
   * is to be closed, it is closed only then. It is the one that was there when the wait for it
   * ended, even if it was dropped since because the caller did not wait.
   *
   * @throws GridException why it was dropped, if it is closed already
   */
  public @Nullable Object use() {
    if (!value.isDone()) {
      throw new IllegalStateException(id + " was not waited for");
    }
    Object made = value.join();
    if (!home.use(made)) {
      throw Objects.requireNonNull(dropped);
    }
    return made;
  }

  /** A call that used the object has ended. The call does not wait until it is closed. */
  public void endUse(Executor background) {
    Object made = value.join();
    if (home.release(made)) {
      background.execute(() -> close(made));
    }
  }

  /** Lets go of the object: closes it if it can be closed, and the handles inside it. */
  void drop(GridException reason) {
    dropped = reason;
    Content made = content.getAndSet(DROPPED);
    fail(reason);
    DurableObject kept = durable;
    if (kept != null) {
      kept.dropped(reason);
    }
    letGo(made);
  }

  private void letGo(@Nullable Content made) {
    if (made == null) {
      return;
    }
    home.limits().giveBytes(made.bytes());
    if (home.release(made.object())) {
      close(made.object());
    }
    made.handles().forEach(RRefHandle::leaveObject);
  }

  private void close(@Nullable Object object) {
    if (object instanceof AutoCloseable closeable) {
      try {
        closeable.close();
      } catch (Exception | LinkageError | AssertionError e) { // User code; the object goes anyway.
        LOG.warn("closing the object of {} failed", id, e);
      }
    }
  }
}
