package io.hazelgrad.rref.internal.call;

import io.hazelgrad.rref.internal.handle.RRefHandle;
import io.hazelgrad.rref.internal.protocol.ForkId;
import java.util.ArrayList;
import java.util.List;

/** The handles that a message carries, each with the child fork that its receiver gets. */
public final class OutgoingForks {
  /** A handle that the message carries and the fork of the receiver. */
  public record Parent(RRefHandle handle, ForkId child) {}

  private final List<Parent> parents = new ArrayList<>();
  private boolean claimed;

  public void add(RRefHandle handle, ForkId child) {
    parents.add(new Parent(handle, child));
  }

  /** Notes that the children of a reply are being claimed for the caller. */
  public void markClaimed() {
    claimed = true;
  }

  public boolean isClaimed() {
    return claimed;
  }

  public int size() {
    return parents.size();
  }

  public List<Parent> all() {
    return parents;
  }
}
