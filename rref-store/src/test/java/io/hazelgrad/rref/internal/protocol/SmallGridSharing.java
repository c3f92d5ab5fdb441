package io.hazelgrad.rref.internal.protocol;

import static io.hazelgrad.rref.internal.protocol.SmallGrid.HOLDER;
import static io.hazelgrad.rref.internal.protocol.SmallGrid.name;

import io.hazelgrad.rref.internal.call.RRefMessages;
import io.hazelgrad.rref.internal.protocol.SmallGrid.HandleState;
import io.hazelgrad.rref.internal.protocol.SmallGrid.Message;
import io.hazelgrad.rref.internal.protocol.SmallGrid.Sharing;
import io.hazelgrad.rref.internal.protocol.SmallGrid.Steps;
import org.jspecify.annotations.Nullable;

/**
 * How the RRef is handed on, as {@link RRefMessages} does it on both sides: sharing {@code n} goes
 * from the holder of level {@code n} to that of level {@code n + 1}.
 */
final class SmallGridSharing {
  private SmallGridSharing() {}

  static void steps(SmallGrid grid, Steps found) {
    for (int share = 0; share < grid.sharing.length; share++) {
      if (grid.plan.inReply(share)) {
        inReply(grid, found, share);
      } else {
        asArgument(grid, found, share);
      }
    }
  }

  private static int sender(int share) {
    return HOLDER[share];
  }

  private static int receiver(int share) {
    return HOLDER[share + 1];
  }

  private static void asArgument(SmallGrid grid, Steps found, int share) {
    String by = name(sender(share));
    String to = name(receiver(share));
    boolean receives = grid.isAlive(receiver(share));
    if (grid.sharing[share] == Sharing.NOT_BEGUN && mayHandOn(grid, share)) {
      found.add(by + " hands to " + to, after -> begin(after, share, Sharing.ON_ITS_WAY));
    } else if (grid.sharing[share] == Sharing.ON_ITS_WAY) {
      if (receives) {
        found.add(to + " receives", after -> receive(after, share));
      }
      if (grid.faults.losses() > 0) {
        found.add("the message to " + to + " is lost", after -> loseMessage(after, share));
      }
    } else if (grid.sharing[share] == Sharing.CLAIMING && receives) {
      found.add(to + " drops the call", after -> dropRequest(after, share));
    }
    if (grid.isOpen(share) && grid.isAlive(sender(share))) {
      found.add(by + "'s call ends", after -> callEnds(after, share));
    }
  }

  private static void inReply(SmallGrid grid, Steps found, int share) {
    String by = name(sender(share));
    String to = name(receiver(share));
    boolean waits = grid.isAlive(receiver(share));
    if (grid.sharing[share] == Sharing.NOT_BEGUN && mayHandOn(grid, share) && waits) {
      found.add(by + " replies to " + to, after -> claimForCaller(after, share));
    } else if (grid.sharing[share] == Sharing.REPLY_ON_ITS_WAY) {
      if (waits) {
        found.add(to + " gets the reply", after -> replyArrives(after, share));
      }
      if (grid.faults.losses() > 0) {
        found.add("the reply to " + to + " is lost", after -> loseMessage(after, share));
      }
    }
    if (grid.isOpen(share) && waits) {
      found.add(to + " gives its call up", after -> callEnds(after, share));
    }
  }

  private static boolean mayHandOn(SmallGrid grid, int share) {
    return grid.handles[share] == HandleState.OPEN && grid.isAlive(sender(share));
  }

  private static void begin(SmallGrid grid, int share, Sharing state) {
    grid.sharing[share] = state;
    grid.open |= 1 << share;
  }

  private static void callEnds(SmallGrid grid, int share) {
    grid.open &= ~(1 << share);
  }

  private static void receive(SmallGrid grid, int share) {
    grid.sharing[share] = Sharing.CLAIMING;
    grid.handles[share + 1] = HandleState.CLAIMING;
    grid.send(Message.claim(share));
  }

  private static void loseMessage(SmallGrid grid, int share) {
    grid.faults = grid.faults.lessLoss();
    grid.sharing[share] = Sharing.OVER;
  }

  private static void dropRequest(SmallGrid grid, int share) {
    grid.sharing[share] = Sharing.OVER;
    grid.close(share + 1);
  }

  private static void claimForCaller(SmallGrid grid, int share) {
    begin(grid, share, Sharing.CLAIMING);
    grid.send(Message.claim(share));
  }

  private static void replyArrives(SmallGrid grid, int share) {
    grid.sharing[share] = Sharing.OVER;
    grid.handles[share + 1] = HandleState.OPEN;
    if (!grid.isOpen(share)) {
      grid.close(share + 1); // What comes too late is released.
    }
    callEnds(grid, share);
  }

  /** Who claimed the next level's fork hears whether it is one. */
  static void claimed(SmallGrid grid, int share, @Nullable CommandReply reply) {
    if (grid.sharing[share] != Sharing.CLAIMING) {
      return;
    }
    boolean ok = reply != null && reply.isOk();
    if (grid.plan.inReply(share)) {
      grid.sharing[share] = ok ? Sharing.REPLY_ON_ITS_WAY : Sharing.OVER;
      if (!grid.isAlive(sender(share))) {
        grid.sharing[share] = Sharing.OVER;
      } else if (!ok) {
        grid.send(Message.release(share + 1));
      }
    } else {
      grid.sharing[share] = Sharing.OVER;
      if (ok && grid.isAlive(receiver(share))) {
        grid.handles[share + 1] = HandleState.OPEN;
      } else {
        grid.close(share + 1);
      }
    }
  }

  /** Returns whether a request that carries the RRef has yet to arrive. */
  static boolean isOnItsWay(SmallGrid grid, int share) {
    return grid.sharing[share] == Sharing.ON_ITS_WAY && grid.isAlive(receiver(share));
  }
}
