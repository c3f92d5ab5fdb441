package io.hazelgrad.rref.internal.call;

import io.hazelgrad.rref.internal.handle.RRefHandle;
import io.hazelgrad.rref.internal.protocol.ForkId;
import java.util.ArrayList;
import java.util.List;

/** The handles that a message carries, each with the child fork that its receiver gets. */
final class OutgoingForks {
  /** A handle that the message carries and the fork of the receiver. */
  record Parent(RRefHandle handle, ForkId child) {}

  private final List<Parent> parents = new ArrayList<>();

  /** True if the children of a reply are being claimed for the caller. */
  boolean claimed;

  void add(RRefHandle handle, ForkId child) {
    parents.add(new Parent(handle, child));
  }

  List<Parent> all() {
    return parents;
  }
}
