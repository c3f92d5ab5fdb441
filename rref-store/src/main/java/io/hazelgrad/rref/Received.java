package io.hazelgrad.rref;

import java.util.ArrayList;
import java.util.List;

/** The handles that a message brought, and the objects that it needs here. */
final class Received {
  /** A new handle and the sender's fork from which it was made. */
  record Child(Handle handle, ForkId parent) {}

  private final List<Child> children = new ArrayList<>();
  private final List<RRefId> needed = new ArrayList<>();

  void add(Handle handle, ForkId parent) {
    children.add(new Child(handle, parent));
  }

  void need(RRefId id) {
    needed.add(id);
  }

  List<Child> children() {
    return children;
  }

  List<RRefId> needed() {
    return needed;
  }
}
