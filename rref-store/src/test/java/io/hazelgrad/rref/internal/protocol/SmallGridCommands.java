package io.hazelgrad.rref.internal.protocol;

import static io.hazelgrad.rref.internal.protocol.SmallGrid.A;
import static io.hazelgrad.rref.internal.protocol.SmallGrid.B;
import static io.hazelgrad.rref.internal.protocol.SmallGrid.C;
import static io.hazelgrad.rref.internal.protocol.SmallGrid.D;
import static io.hazelgrad.rref.internal.protocol.SmallGrid.FORK;
import static io.hazelgrad.rref.internal.protocol.SmallGrid.id;

import io.hazelgrad.rref.internal.protocol.Command.Claim;
import io.hazelgrad.rref.internal.protocol.Command.Create;
import io.hazelgrad.rref.internal.protocol.Command.Release;
import io.hazelgrad.rref.internal.protocol.Command.Resolve;
import io.hazelgrad.rref.internal.protocol.SmallGrid.Message;
import io.hazelgrad.rref.internal.protocol.SmallGrid.Steps;
import org.jspecify.annotations.Nullable;

/**
 * How commands reach the registry, and their senders the answers: in any order, some twice, some
 * late, some not at all.
 */
final class SmallGridCommands {
  private SmallGridCommands() {}

  static void steps(SmallGrid grid, Steps found) {
    for (Message message : Message.ALL) {
      if (grid.isUnderWay(message)) {
        found.add(message + " arrives", after -> answered(after, message, apply(after, message)));
        if (grid.faults.duplicates() > 0) {
          found.add(message + " arrives and is repeated", after -> repeated(after, message));
          found.add(message + " arrives, a copy is late", after -> copied(after, message));
        }
        if (grid.faults.losses() > 0) {
          found.add(message + " is lost", after -> lost(after, message, false, false));
          found.add(
              message + " arrives, its answer is lost", after -> lost(after, message, true, false));
          found.add(message + " is given up and late", after -> lost(after, message, false, true));
        }
      }
      if ((grid.late & message.bit()) != 0) {
        found.add(message + " arrives late", after -> arrivesLate(after, message));
      }
    }
  }

  private static void repeated(SmallGrid grid, Message message) {
    grid.faults = grid.faults.lessDuplicate();
    var unused = apply(grid, message);
  }

  private static void copied(SmallGrid grid, Message message) {
    grid.faults = grid.faults.lessDuplicate();
    grid.late |= message.bit();
    answered(grid, message, apply(grid, message));
  }

  private static void lost(SmallGrid grid, Message message, boolean applied, boolean later) {
    grid.faults = grid.faults.lessLoss();
    if (applied) {
      var unused = apply(grid, message);
    }
    if (later) {
      grid.late |= message.bit();
    }
    answered(grid, message, null);
  }

  private static void arrivesLate(SmallGrid grid, Message message) {
    grid.late &= ~message.bit();
    var unused = apply(grid, message);
  }

  private static CommandReply apply(SmallGrid grid, Message message) {
    boolean pinned = SmallGridChecks.isClaimOfPinned(grid, message);
    CommandReply reply = grid.apply(command(grid, message));
    SmallGridChecks.check(reply.isOk() || !pinned, "a claim of a pinned handle is never refused");
    return reply;
  }

  private static Command command(SmallGrid grid, Message message) {
    return switch (message) {
      case CREATE -> new Create(id(B), FORK[0], id(A));
      case ENDED ->
          new Resolve(
              id(B), grid.endedInTime ? RRefState.READY : RRefState.TIMED_OUT, null, null, 0);
      case GAVE_UP -> new Resolve(id(B), RRefState.TIMED_OUT, null, FORK[0], id(A));
      case FIRST_CLAIM -> new Claim(FORK[0], FORK[1], id(C), id(B));
      case SECOND_CLAIM -> new Claim(FORK[1], FORK[2], id(D), id(B));
      case FIRST_RELEASE -> new Release(FORK[0]);
      case SECOND_RELEASE -> new Release(FORK[1]);
      case THIRD_RELEASE -> new Release(FORK[2]);
    };
  }

  /** The sender of a command hears what became of it, or with null that nobody knows. */
  private static void answered(SmallGrid grid, Message message, @Nullable CommandReply reply) {
    grid.underWay &= ~message.bit();
    switch (message) {
      case CREATE -> SmallGridCreation.entered(grid, reply);
      case ENDED -> SmallGridCreation.ended(grid, reply);
      case GAVE_UP -> SmallGridCreation.gaveUp(grid, reply);
      case FIRST_CLAIM -> SmallGridSharing.claimed(grid, 0, reply);
      case SECOND_CLAIM -> SmallGridSharing.claimed(grid, 1, reply);
      case FIRST_RELEASE, SECOND_RELEASE, THIRD_RELEASE -> {} // Left to reconciliation.
    }
  }
}
