package io.hazelgrad.rref.internal.handle;

import io.hazelgrad.rref.internal.protocol.ForkId;
import java.util.ArrayList;
import java.util.List;

/** The handles that a message carries away, each with the fork that its receiver gets. */
public final class OutgoingForks {
  /** A handle that is handed on. */
  public record Parent(RRefHandle handle, ForkId child) {}

  private final List<Parent> parents = new ArrayList<>();
  private boolean claimed;

  public void add(RRefHandle handle, ForkId child) {
    parents.add(new Parent(handle, child));
  }

  /** The children of a reply are being claimed for the caller. */
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
