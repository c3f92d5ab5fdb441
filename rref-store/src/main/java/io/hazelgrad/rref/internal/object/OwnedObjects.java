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
import org.jspecify.annotations.Nullable;

/** The objects that this worker owns, and those that others wait for. Threads: safe. */
public final class OwnedObjects {
  private final Map<RRefId, OwnedObject> objects = new ConcurrentHashMap<>();
  private final ObjectLimits limits;

  /**
   * How many RRefs and running calls have an object that is to be closed with the last of them; a
   * method may return its own object. Guarded by itself.
   */
  private final IdentityHashMap<AutoCloseable, Integer> closeables = new IdentityHashMap<>();

  public OwnedObjects(ObjectLimits limits) {
    this.limits = limits;
  }

  public ObjectLimits limits() {
    return limits;
  }

  /** Returns an object whose work begins here; {@link ObjectLimits} has counted it already. */
  public OwnedObject create(RRefId id) {
    return objects.compute(
        id,
        (key, known) -> {
          OwnedObject object = known == null ? new OwnedObject(id, this) : known;
          object.markCreated();
          return object;
        });
  }

  /** Returns the object, or a wait for it, which {@link #endWait} ends. */
  OwnedObject await(RRefId id) {
    return objects.compute(
        id,
        (key, known) -> {
          OwnedObject object = known == null ? new OwnedObject(id, this) : known;
          var unused = object.addWaiting(1);
          return object;
        });
  }

  /** Ends one wait; an object of which nothing was heard is forgotten with the last. */
  void endWait(OwnedObject object) {
    var unused =
        objects.computeIfPresent(
            object.id(),
            (key, known) ->
                known == object && object.addWaiting(-1) == 0 && !object.isCreated()
                    ? null
                    : known);
  }

  public @Nullable OwnedObject find(RRefId id) {
    return objects.get(id);
  }

  /** Forgets an object that nothing refers to. */
  public void drop(RRefId id) {
    drop(id, new GridException(Status.RREF_GONE, id + " is not referenced any more"));
  }

  /** Forgets an object; whoever still holds it as a Java object may go on using it. */
  public void drop(RRefId id, GridException reason) {
    OwnedObject object = objects.remove(id);
    if (object != null) {
      if (object.isCreated()) {
        limits.giveObject();
      }
      object.drop(reason);
    }
  }

  /** Ends all waits for an object that will never be made, unless its work began meanwhile. */
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

  /** Returns how many objects there are, those being made included. */
  public int count() {
    return (int) limits.objects();
  }

  /** Counts one more RRef that names an object. */
  void retain(@Nullable Object object) {
    if (isClosedAtEnd(object)) {
      synchronized (closeables) {
        var unused = closeables.merge((AutoCloseable) object, 1, Integer::sum);
      }
    }
  }

  /** Counts a call that uses an object; false if the object is closed, or about to be. */
  boolean use(@Nullable Object object) {
    if (!isClosedAtEnd(object)) {
      return true;
    }
    synchronized (closeables) {
      return closeables.computeIfPresent((AutoCloseable) object, (key, count) -> count + 1) != null;
    }
  }

  /** Counts one less; true if the object is now to be closed. */
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

  /** An RRef is closed as a handle inside the object, not as the object. */
  private static boolean isClosedAtEnd(@Nullable Object object) {
    return object instanceof AutoCloseable && !(object instanceof RRef<?>);
  }
}
