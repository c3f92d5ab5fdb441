package io.hazelgrad.rref.internal.protocol;

import static io.hazelgrad.rref.internal.protocol.SmallGrid.A;
import static io.hazelgrad.rref.internal.protocol.SmallGrid.B;

import io.hazelgrad.rref.internal.call.OwnerCreations;
import io.hazelgrad.rref.internal.protocol.SmallGrid.Creation;
import io.hazelgrad.rref.internal.protocol.SmallGrid.Making;
import io.hazelgrad.rref.internal.protocol.SmallGrid.Message;
import io.hazelgrad.rref.internal.protocol.SmallGrid.OwnedState;
import io.hazelgrad.rref.internal.protocol.SmallGrid.Steps;
import org.jspecify.annotations.Nullable;

/** How A has B make the object, as {@link OwnerCreations} does it on both sides. */
final class SmallGridCreation {
  private SmallGridCreation() {}

  static void steps(SmallGrid grid, Steps found) {
    if (grid.making == Making.ON_ITS_WAY) {
      if (grid.isAlive(B)) {
        found.add("B is called", SmallGridCreation::called);
      }
      if (grid.faults.losses() > 0) {
        found.add("the call to B is lost", SmallGridCreation::loseCall);
      }
    } else if (grid.making == Making.ENTERING && grid.isAlive(B)) {
      found.add("the work ends early", SmallGridCreation::workEnds);
      found.add("B drops the call", after -> after.making = Making.DROPPED);
    } else if (grid.making == Making.RUNNING && grid.isAlive(B)) {
      found.add("the work ends", SmallGridCreation::workEnds);
      found.add("B drops the call", SmallGridCreation::drop);
    }
    if (grid.creation == Creation.WAITING && grid.isAlive(A)) {
      if (grid.making == Making.DONE) {
        found.add("A hears of the object", after -> after.creation = Creation.CREATED);
      }
      found.add("A gives the creation up", SmallGridCreation::giveUp);
    }
  }

  private static void called(SmallGrid grid) {
    grid.making = Making.ENTERING;
    grid.object = OwnedState.BEING_MADE;
    grid.send(Message.CREATE);
  }

  private static void loseCall(SmallGrid grid) {
    grid.faults = grid.faults.lessLoss();
    grid.making = Making.OVER;
  }

  /** B hears whether the object has an entry. */
  static void entered(SmallGrid grid, @Nullable CommandReply reply) {
    if (!grid.isAlive(B)) {
      grid.making = Making.REFUSED;
    } else if (reply == null || !reply.isOk()) {
      grid.making = Making.REFUSED;
      grid.object = OwnedState.DROPPED;
    } else if (grid.making == Making.DROPPED) {
      drop(grid);
    } else if (grid.making == Making.ENDED_EARLY) {
      announce(grid);
    } else {
      grid.making = Making.RUNNING;
    }
  }

  private static void drop(SmallGrid grid) {
    grid.endedInTime = false;
    grid.send(Message.ENDED);
    grid.making = Making.OVER;
  }

  private static void workEnds(SmallGrid grid) {
    if (grid.object == OwnedState.BEING_MADE) {
      grid.object = OwnedState.THERE;
    }
    if (grid.making == Making.ENTERING) {
      grid.making = Making.ENDED_EARLY;
    } else {
      announce(grid);
    }
  }

  private static void announce(SmallGrid grid) {
    grid.making = Making.DONE;
    grid.send(Message.ENDED);
  }

  /** B hears whether what it made is still wanted. */
  static void ended(SmallGrid grid, @Nullable CommandReply reply) {
    boolean refused = reply != null && !reply.isOk();
    if (refused
        && grid.isAlive(B)
        && reply.state() != RRefState.ABSENT
        && reply.state() != RRefState.EXPECTED) {
      grid.object = OwnedState.DROPPED;
    }
  }

  private static void giveUp(SmallGrid grid) {
    grid.creation = Creation.ASKING;
    grid.send(Message.GAVE_UP);
  }

  /** A hears whether B was first. */
  static void gaveUp(SmallGrid grid, @Nullable CommandReply reply) {
    boolean ownerWasFirst = reply != null && !reply.isOk() && reply.state().isLive();
    grid.creation = ownerWasFirst ? Creation.CREATED : Creation.FAILED;
  }
}
