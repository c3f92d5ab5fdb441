package io.hazelgrad.rref;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The objects that this worker owns. Threads: safe. */
final class OwnedObjects {
  private final Map<RRefId, OwnedObject> objects = new ConcurrentHashMap<>();

  /** Returns the object, or starts to wait for it. */
  OwnedObject expect(RRefId id) {
    return objects.computeIfAbsent(id, OwnedObject::new);
  }

  @Nullable OwnedObject find(RRefId id) {
    return objects.get(id);
  }

  /** Forgets an object; whoever still holds it as a Java object may go on using it. */
  void drop(RRefId id) {
    OwnedObject object = objects.remove(id);
    if (object != null) {
      object.drop();
    }
  }

  /** Forgets a wait for an object of which nothing was heard. */
  void forget(OwnedObject object) {
    if (!object.isCreated() && objects.remove(object.id(), object)) {
      object.drop();
    }
  }

  Collection<OwnedObject> all() {
    return List.copyOf(objects.values());
  }

  /** Returns how many objects there are, those being made included. */
  int count() {
    return (int) objects.values().stream().filter(OwnedObject::isCreated).count();
  }
}
