package io.hazelgrad.rref;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The object of an RRef in its owner's memory, or the wait for it: the future ends when the object
 * was made, when making it failed, or when it is known that it never will be.
 */
final class OwnedObject {
  private static final Logger LOG = LoggerFactory.getLogger(OwnedObject.class);

  private final RRefId id;
  private final long sinceNanos = System.nanoTime();
  private final CompletableFuture<@Nullable Object> value = new CompletableFuture<>();

  /** Whether the work that makes it was started here; before, only somebody asked for it. */
  private volatile boolean created;

  private volatile List<Handle> contained = List.of();

  /** The first handle of an object that was made here without a call; null for others. */
  private volatile @Nullable ForkId localFork;

  OwnedObject(RRefId id) {
    this.id = id;
  }

  RRefId id() {
    return id;
  }

  long ageNanos() {
    return System.nanoTime() - sinceNanos;
  }

  CompletableFuture<@Nullable Object> value() {
    return value;
  }

  boolean isCreated() {
    return created;
  }

  void markCreated() {
    created = true;
  }

  /** Sets a local object and its first handle's fork. */
  void setLocal(@Nullable Object object, ForkId fork) {
    localFork = fork;
    created = true;
    value.complete(object);
  }

  boolean isLocal() {
    return localFork != null;
  }

  @Nullable ForkId localFork() {
    return localFork;
  }

  /** Sets the object, with the handles inside it that shall live as long as it does. */
  void set(@Nullable Object object, List<Handle> handles) {
    contained = handles;
    if (!value.complete(object)) {
      handles.forEach(Handle::close);
    }
  }

  void fail(GridException failure) {
    value.completeExceptionally(failure);
  }

  /** Lets go of the object: closes it if it can be closed, and the handles inside it. */
  void drop() {
    fail(new GridException(Status.RREF_GONE, id + " is not referenced any more"));
    Object object = value.isCompletedExceptionally() ? null : value.join();
    if (object instanceof AutoCloseable closeable && !(object instanceof RRef<?>)) {
      try {
        closeable.close();
      } catch (Exception e) { // User code; the object goes all the same.
        LOG.warn("closing the object of {} failed", id, e);
      }
    }
    contained.forEach(Handle::close);
  }
}
