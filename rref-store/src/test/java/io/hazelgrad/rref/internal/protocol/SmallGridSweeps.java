package io.hazelgrad.rref.internal.protocol;

import static io.hazelgrad.rref.internal.protocol.SmallGrid.A;
import static io.hazelgrad.rref.internal.protocol.SmallGrid.B;
import static io.hazelgrad.rref.internal.protocol.SmallGrid.C;
import static io.hazelgrad.rref.internal.protocol.SmallGrid.D;
import static io.hazelgrad.rref.internal.protocol.SmallGrid.FORK;
import static io.hazelgrad.rref.internal.protocol.SmallGrid.HOLDER;
import static io.hazelgrad.rref.internal.protocol.SmallGrid.id;
import static io.hazelgrad.rref.internal.protocol.SmallGrid.name;

import io.hazelgrad.rref.internal.maintenance.Reconciler;
import io.hazelgrad.rref.internal.protocol.Command.HolderLost;
import io.hazelgrad.rref.internal.protocol.Command.OwnerLost;
import io.hazelgrad.rref.internal.protocol.SmallGrid.HandleState;
import io.hazelgrad.rref.internal.protocol.SmallGrid.Making;
import io.hazelgrad.rref.internal.protocol.SmallGrid.Message;
import io.hazelgrad.rref.internal.protocol.SmallGrid.OwnedState;
import io.hazelgrad.rref.internal.protocol.SmallGrid.Steps;

/** Crashes, what {@link Reconciler} does after them, and time. */
final class SmallGridSweeps {
  private SmallGridSweeps() {}

  static void steps(SmallGrid grid, Steps found) {
    crashes(grid, found);
    sweeps(grid, found);
    strayForks(grid, found);
    // A tombstone outlives many rounds, so the owner has dropped its object before it ends; and
    // every message, so that only late copies come after it.
    if (grid.registered().mayExpire() && !grid.isOwned() && nothingIsUnderWay(grid)) {
      found.add("the tombstone ends", SmallGridSweeps::expire);
    }
  }

  private static void crashes(SmallGrid grid, Steps found) {
    for (int party : new int[] {A, B, C, D}) {
      if (grid.isAlive(party) && grid.faults.mayCrash(party)) {
        found.add(name(party) + " crashes", after -> crash(after, party));
      }
    }
  }

  private static void crash(SmallGrid grid, int party) {
    grid.dead |= 1 << party;
    grid.faults = grid.faults.lessCrash(party);
    if (party == B) {
      grid.object = OwnedState.NONE;
      return;
    }
    for (int level = 0; level < grid.handles.length; level++) {
      if (HOLDER[level] == party) {
        grid.handles[level] = HandleState.NONE;
      }
    }
  }

  private static void sweeps(SmallGrid grid, Steps found) {
    Entry is = grid.registered();
    for (long holder : is.forks().holders()) {
      if (!grid.isAlive((int) holder - 1)) {
        found.add("sweep of holders", after -> after.apply(new HolderLost(holder)));
      }
    }
    boolean mayBeOwned = is.state() == RRefState.EXPECTED || is.state().isLive();
    if (!grid.isAlive(B) && mayBeOwned && is.owner() == id(B)) {
      found.add("sweep of the owner", after -> after.apply(new OwnerLost(id(B))));
    }
    if (grid.isOwned()
        && grid.isEntered()
        && (is.state() == RRefState.GONE || is.state() == RRefState.LOST)) {
      found.add("B drops the object", after -> after.object = OwnedState.DROPPED);
    }
  }

  private static void strayForks(SmallGrid grid, Steps found) {
    for (int i = 0; i < grid.handles.length; i++) {
      int level = i;
      if (isStray(grid, level)) {
        found.add("stray fork", after -> after.send(Message.release(level)));
      }
    }
  }

  private static boolean isStray(SmallGrid grid, int level) {
    HandleState handle = grid.handles[level];
    boolean held = handle != HandleState.NONE && handle != HandleState.RELEASED;
    boolean awaited = level > 0 && grid.plan.inReply(level - 1) && grid.isOpen(level - 1);
    return grid.isAlive(HOLDER[level])
        && !held
        && !awaited
        && grid.registered().forks().contains(FORK[level])
        && !grid.isUnderWay(Message.release(level));
  }

  private static boolean nothingIsUnderWay(SmallGrid grid) {
    return grid.underWay == 0
        && !(grid.making == Making.ON_ITS_WAY && grid.isAlive(B))
        && !SmallGridSharing.isOnItsWay(grid, 0)
        && !SmallGridSharing.isOnItsWay(grid, 1);
  }

  private static void expire(SmallGrid grid) {
    grid.entry = EntrySpace.ABSENT;
    grid.expired = true;
  }
}
