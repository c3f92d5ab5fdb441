package io.hazelgrad.rref;

import java.util.ArrayList;
import java.util.List;

/** The handles that a message carries away, each with the fork that its receiver gets. */
final class Carried {
  /** A handle that is handed on. */
  record Parent(Handle handle, ForkId child) {}

  private final List<Parent> parents = new ArrayList<>();
  private boolean claimed;

  void add(Handle handle, ForkId child) {
    parents.add(new Parent(handle, child));
  }

  /** The children of a reply are being claimed for the caller. */
  void markClaimed() {
    claimed = true;
  }

  boolean isClaimed() {
    return claimed;
  }

  int size() {
    return parents.size();
  }

  List<Parent> all() {
    return parents;
  }
}
