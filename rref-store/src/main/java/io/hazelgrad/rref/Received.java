package io.hazelgrad.rref;

import io.hazelgrad.grid.GridException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The handles that a message brought, and the objects that it needs here. */
final class Received {
  /** A new handle and the sender's fork from which it was made. */
  record Child(Handle handle, ForkId parent) {}

  private final List<Child> children = new ArrayList<>();
  private final Map<RRefId, OwnedObject> needed = new LinkedHashMap<>();
  private final List<OwnedObject> used = new ArrayList<>(1);

  void add(Handle handle, ForkId parent) {
    children.add(new Child(handle, parent));
  }

  List<Child> children() {
    return children;
  }

  /** Says that an object is needed; the wait for it begins now, or did before. */
  void need(RRefId id, ObjectWaits waits) {
    var unused = needed.computeIfAbsent(id, waits::begin);
  }

  /** Returns the objects that are needed. */
  List<OwnedObject> needed() {
    return List.copyOf(needed.values());
  }

  List<CompletableFuture<?>> objects() {
    return new ArrayList<>(needed.values().stream().map(OwnedObject::value).toList());
  }

  /**
   * Returns an object that was waited for; {@link #endUses} gives it back.
   *
   * @throws GridException if it is closed already
   */
  @Nullable Object use(RRefId id) {
    OwnedObject object = needed.get(id);
    if (object == null) {
      throw new IllegalStateException(id + " was not waited for");
    }
    Object value = object.use();
    used.add(object);
    return value;
  }

  /** The call has ended; what is to be closed now is closed in the background. */
  void endUses(Executor background) {
    used.forEach(object -> object.endUse(background));
    used.clear();
  }

  void endWaits(ObjectWaits waits) {
    needed.values().forEach(waits::end);
    needed.clear();
  }
}
