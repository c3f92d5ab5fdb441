package io.hazelgrad.rref.internal.object;

import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.handle.RRefHandle;
import io.hazelgrad.rref.internal.protocol.ForkId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The handles that a message brought, and the objects of this worker that it needs. */
public final class IncomingForks {
  /** A new handle and the sender's fork from which it was made. */
  public record Child(RRefHandle handle, ForkId parent) {}

  private final List<Child> children = new ArrayList<>();
  private final Map<RRefId, OwnedObject> needed = new LinkedHashMap<>();
  private final List<OwnedObject> used = new ArrayList<>(1);

  public void add(RRefHandle handle, ForkId parent) {
    children.add(new Child(handle, parent));
  }

  public List<Child> children() {
    return children;
  }

  /** Begins to wait for an object, unless this message already does. */
  public void need(RRefId id, ObjectWaits waits) {
    var unused = needed.computeIfAbsent(id, waits::begin);
  }

  public Collection<OwnedObject> needed() {
    return needed.values();
  }

  /** Returns an object that was waited for, as {@link OwnedObject#use}, until {@link #endUses}. */
  public @Nullable Object use(RRefId id) {
    OwnedObject object = needed.get(id);
    if (object == null) {
      throw new IllegalStateException(id + " was not waited for");
    }
    Object value = object.use();
    used.add(object);
    return value;
  }

  /** Ends the uses by the call; the background closes objects that were dropped meanwhile. */
  public void endUses(Executor background) {
    used.forEach(object -> object.endUse(background));
    used.clear();
  }

  public void endWaits(ObjectWaits waits) {
    needed.values().forEach(waits::end);
    needed.clear();
  }
}
