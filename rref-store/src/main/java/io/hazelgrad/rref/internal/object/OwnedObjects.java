package io.hazelgrad.rref.internal.object;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefId;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The objects that this worker owns, and those that calls wait for. Threads: safe. */
public final class OwnedObjects {
  private final Map<RRefId, OwnedObject> objects = new ConcurrentHashMap<>();
  private final ObjectLimits limits;

  /**
   * The number of RRefs and running calls of each object that is closed with the last of them. A
   * method may return its own object, which then has two RRefs. Guarded by itself.
   */
  private final IdentityHashMap<AutoCloseable, Integer> closeables = new IdentityHashMap<>();

  public OwnedObjects(ObjectLimits limits) {
    this.limits = limits;
  }

  public ObjectLimits limits() {
    return limits;
  }

  /** Returns an object whose creation begins here; {@link ObjectLimits} has counted it already. */
  public OwnedObject create(RRefId id) {
    return change(id, OwnedObject::markCreated);
  }

  /** Returns the object or a wait for it; {@link #endWait} ends the wait. */
  OwnedObject await(RRefId id) {
    return change(id, object -> object.waiting++);
  }

  private OwnedObject change(RRefId id, Consumer<OwnedObject> change) {
    return objects.compute(
        id,
        (key, known) -> {
          OwnedObject object = known == null ? new OwnedObject(id, this) : known;
          change.accept(object);
          return object;
        });
  }

  /** Ends one wait; the last one removes an object whose creation did not begin. */
  void endWait(OwnedObject object) {
    var unused =
        objects.computeIfPresent(
            object.id(),
            (key, known) ->
                known == object && --object.waiting == 0 && !object.isCreated() ? null : known);
  }

  public @Nullable OwnedObject find(RRefId id) {
    return objects.get(id);
  }

  /** Drops an object that has no forks any more. */
  public void drop(RRefId id) {
    drop(id, new GridException(Status.RREF_GONE, id + " is not referenced any more"));
  }

  /** Drops an object. Code that still refers to the Java object may go on using it. */
  public void drop(RRefId id, GridException reason) {
    OwnedObject object = objects.remove(id);
    if (object != null) {
      if (object.isCreated()) {
        limits.giveObject();
      }
      object.drop(reason);
    }
  }

  /** Ends all waits for an object that will never be made, unless its creation has begun. */
  void refuse(OwnedObject object, GridException reason) {
    boolean[] refused = new boolean[1];
    var unused =
        objects.computeIfPresent(
            object.id(),
            (key, known) -> {
              refused[0] = known == object && !object.isCreated();
              return refused[0] ? null : known;
            });
    if (refused[0]) {
      object.drop(reason);
    }
  }

  public Collection<OwnedObject> all() {
    return List.copyOf(objects.values());
  }

  /** Returns the number of objects, including those being made. */
  public int count() {
    return (int) limits.objects();
  }

  /** Counts one more RRef of an object. */
  void retain(@Nullable Object object) {
    if (isClosedAtEnd(object)) {
      synchronized (closeables) {
        var unused = closeables.merge((AutoCloseable) object, 1, Integer::sum);
      }
    }
  }

  /** Counts one more call that uses an object; false if the object is being closed. */
  boolean use(@Nullable Object object) {
    if (!isClosedAtEnd(object)) {
      return true;
    }
    synchronized (closeables) {
      return closeables.computeIfPresent((AutoCloseable) object, (key, count) -> count + 1) != null;
    }
  }

  /** Counts one RRef or call less; true if the object must be closed now. */
  boolean release(@Nullable Object object) {
    if (!isClosedAtEnd(object)) {
      return false;
    }
    synchronized (closeables) {
      return closeables.merge(
              (AutoCloseable) object, -1, (count, one) -> count > 1 ? count - 1 : null)
          == null;
    }
  }

  /** A result that is an RRef is closed as a handle inside the object. */
  private static boolean isClosedAtEnd(@Nullable Object object) {
    return object instanceof AutoCloseable && !(object instanceof RRef<?>);
  }
}
