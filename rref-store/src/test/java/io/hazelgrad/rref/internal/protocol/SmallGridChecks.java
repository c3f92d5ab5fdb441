package io.hazelgrad.rref.internal.protocol;

import static io.hazelgrad.rref.internal.protocol.SmallGrid.A;
import static io.hazelgrad.rref.internal.protocol.SmallGrid.B;
import static io.hazelgrad.rref.internal.protocol.SmallGrid.FORK;

import io.hazelgrad.rref.internal.protocol.SmallGrid.Creation;
import io.hazelgrad.rref.internal.protocol.SmallGrid.HandleState;
import io.hazelgrad.rref.internal.protocol.SmallGrid.Message;
import io.hazelgrad.rref.internal.protocol.SmallGrid.OwnedState;

/** What must hold in a {@link SmallGrid}. */
public final class SmallGridChecks {
  private SmallGridChecks() {}

  /** Checks what holds in every state. */
  public static void always(SmallGrid grid) {
    Entry is = grid.registered();
    boolean isUsed = false;
    for (int level = 0; level < grid.handles.length; level++) {
      boolean usable = level > 0 || grid.creation == Creation.CREATED;
      if (grid.handles[level] == HandleState.OPEN && usable) {
        isUsed = true;
        check(is.forks().contains(FORK[level]), "an open handle is a fork");
      }
    }
    if (isUsed && grid.isAlive(B) && is.state() == RRefState.READY) {
      check(grid.object == OwnedState.THERE, "no object is dropped while a handle is open");
    }
    if (grid.isOwned() && grid.isEntered()) {
      check(is.state() != RRefState.ABSENT, "an object has an entry");
      check(is.state() != RRefState.EXPECTED, "an object has an entry that is live");
    }
  }

  /** Checks what holds when nothing can happen any more. */
  public static void atTheEnd(SmallGrid grid) {
    check(grid.registered().state() == RRefState.ABSENT, "no entry is left");
    check(!grid.isOwned(), "no object is left");
    for (HandleState handle : grid.handles) {
      check(handle == HandleState.NONE || handle == HandleState.RELEASED, "no handle is left");
    }
    check(!grid.isAlive(A) || grid.creation != Creation.WAITING, "the creator knows the outcome");
  }

  /**
   * Returns whether the sender of an RRef waits for what became of it and the receiver has not let
   * it go: then its claim is granted, while nobody crashes.
   */
  static boolean isClaimOfPinned(SmallGrid grid, Message message) {
    if (message != Message.FIRST_CLAIM && message != Message.SECOND_CLAIM) {
      return false;
    }
    int share = message == Message.FIRST_CLAIM ? 0 : 1;
    boolean childIsWanted =
        grid.plan.inReply(share) || grid.handles[share + 1] == HandleState.CLAIMING;
    return grid.dead == 0
        && !grid.expired
        && grid.isUnderWay(message)
        && !grid.isUnderWay(Message.release(share + 1))
        && grid.isOpen(share)
        && childIsWanted;
  }

  // Not an AssertJ assertion: it runs many million times.
  static void check(boolean holds, String invariant) {
    if (!holds) {
      throw new AssertionError(invariant);
    }
  }
}
