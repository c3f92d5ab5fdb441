package io.hazelgrad.rref;

import io.hazelgrad.rref.Command.Claim;
import io.hazelgrad.rref.Command.Create;
import io.hazelgrad.rref.Command.HolderLost;
import io.hazelgrad.rref.Command.OwnerLost;
import io.hazelgrad.rref.Command.Release;
import io.hazelgrad.rref.Command.Resolve;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One state of a grid of four with one RRef: A calls B to make an object, hands it to C, and C
 * hands it to D, each time as an argument or in a reply. What senders, receivers and reconciliation
 * do is modelled here as the classes of this package do it; what the registry does is {@link
 * Registry} itself.
 *
 * <p>Every call may be given up by its caller at any time, every handle closed, every command
 * delayed. A few times each, as {@link Faults} allows: a command is applied twice, long after its
 * answer too; a command, its answer or a message is lost; a party crashes; a tombstone ends.
 */
// States are packed as small as they can be; ordinals never leave an exploration.
@SuppressWarnings("EnumOrdinal")
final class SmallGrid {
  /** How often something may go wrong. */
  record Faults(int duplicates, int losses, int ownerCrashes, int holderCrashes) {}

  /** How A hands on to C, and C to D. */
  record Plan(boolean firstInReply, boolean secondInReply) {
    boolean inReply(int share) {
      return share == 0 ? firstInReply : secondInReply;
    }
  }

  /** A step and the state after it. */
  record Next(String step, SmallGrid after) {}

  private static final int A = 0;
  private static final int B = 1;
  private static final int C = 2;
  private static final int D = 3;

  /** The fork of each level and who holds it. */
  private static final int[] HOLDER = {A, C, D};

  private static final ForkId[] FORK = {
    ForkId.of(id(A), 1), ForkId.of(id(A), 2), ForkId.inReply(id(D), 7, 0)
  };

  private enum Message {
    CREATE,
    ENDED,
    GAVE_UP,
    FIRST_CLAIM,
    SECOND_CLAIM,
    FIRST_RELEASE,
    SECOND_RELEASE,
    THIRD_RELEASE;

    private static final Message[] ALL = values();

    int bit() {
      return 1 << ordinal();
    }

    static Message claim(int share) {
      return share == 0 ? FIRST_CLAIM : SECOND_CLAIM;
    }

    static Message release(int level) {
      return level == 0 ? FIRST_RELEASE : level == 1 ? SECOND_RELEASE : THIRD_RELEASE;
    }
  }

  /** The request to make the object, as B sees it. */
  private enum Making {
    ON_ITS_WAY,
    ASKING,
    DROPPED,
    RUNNING,
    DONE,
    REFUSED,
    OVER
  }

  /** The same request, as A sees it. */
  private enum Creation {
    WAITING,
    ASKING,
    CREATED,
    FAILED
  }

  private enum OwnedState {
    NONE,
    BEING_MADE,
    THERE,
    DROPPED
  }

  private enum HandleState {
    NONE,
    CLAIMING,
    OPEN,
    CLOSED,
    RELEASED
  }

  /** The call that hands the RRef on. */
  private enum Sharing {
    NOT_BEGUN,
    ON_ITS_WAY,
    CLAIMING,
    REPLY_ON_ITS_WAY,
    OVER
  }

  private final EntrySpace entries;
  private final Plan plan;

  private int entry = EntrySpace.ABSENT;
  private int dead;
  private Making making = Making.ON_ITS_WAY;
  private Creation creation = Creation.WAITING;
  private OwnedState object = OwnedState.NONE;
  private final HandleState[] handles;
  private final Sharing[] sharing;

  /** Which sharing calls their callers still wait for. */
  private int open;

  /** Commands that were sent and not answered, and copies of commands that may still arrive. */
  private int underWay;

  private int late;
  private boolean endedInTime = true;
  private boolean expired;

  private int duplicates;
  private int losses;
  private int ownerCrashes;
  private int holderCrashes;

  SmallGrid(EntrySpace entries, Plan plan, Faults faults) {
    this.entries = entries;
    this.plan = plan;
    handles = new HandleState[] {HandleState.OPEN, HandleState.NONE, HandleState.NONE};
    sharing = new Sharing[] {Sharing.NOT_BEGUN, Sharing.NOT_BEGUN};
    duplicates = faults.duplicates();
    losses = faults.losses();
    ownerCrashes = faults.ownerCrashes();
    holderCrashes = faults.holderCrashes();
  }

  private SmallGrid(SmallGrid from) {
    entries = from.entries;
    plan = from.plan;
    entry = from.entry;
    dead = from.dead;
    making = from.making;
    creation = from.creation;
    object = from.object;
    handles = from.handles.clone();
    sharing = from.sharing.clone();
    open = from.open;
    underWay = from.underWay;
    late = from.late;
    endedInTime = from.endedInTime;
    expired = from.expired;
    duplicates = from.duplicates;
    losses = from.losses;
    ownerCrashes = from.ownerCrashes;
    holderCrashes = from.holderCrashes;
  }

  /** Returns a number that differs for different states, but for one chance in 2^64 per pair. */
  long fingerprint() {
    long hash = entry;
    hash = mix(hash, dead);
    hash = mix(hash, making.ordinal() | creation.ordinal() << 4 | object.ordinal() << 8);
    for (HandleState handle : handles) {
      hash = mix(hash, handle.ordinal());
    }
    for (Sharing share : sharing) {
      hash = mix(hash, share.ordinal());
    }
    hash = mix(hash, open | underWay << 2 | late << 12);
    hash = mix(hash, (endedInTime ? 1 : 0) | (expired ? 2 : 0));
    return mix(hash, duplicates | losses << 4 | ownerCrashes << 8 | holderCrashes << 12);
  }

  private static long mix(long hash, long value) {
    long mixed = (hash ^ value) * 0x9E3779B97F4A7C15L;
    mixed = (mixed ^ (mixed >>> 32)) * 0xBF58476D1CE4E5B9L;
    return mixed ^ (mixed >>> 29);
  }

  /** Returns every step that may come next, and where it leads. */
  List<Next> next() {
    List<Next> found = new ArrayList<>();
    commands(found);
    creating(found);
    for (int share = 0; share < sharing.length; share++) {
      if (plan.inReply(share)) {
        sharingInReply(found, share);
      } else {
        sharingAsArgument(found, share);
      }
    }
    for (int level = 0; level < handles.length; level++) {
      int closing = level;
      if (handles[level] == HandleState.OPEN && isAlive(HOLDER[level])) {
        add(found, name(HOLDER[level]) + " closes", grid -> grid.close(closing));
      }
    }
    crashing(found);
    reconciling(found);
    return found;
  }

  private void add(List<Next> found, String step, Consumer<SmallGrid> change) {
    SmallGrid after = new SmallGrid(this);
    change.accept(after);
    after.releaseWhatIsDue();
    found.add(new Next(step, after));
  }

  // ---- Commands to the registry, and their answers ----

  private void commands(List<Next> found) {
    for (Message message : Message.ALL) {
      if ((underWay & message.bit()) != 0) {
        add(found, message + " arrives", grid -> grid.answered(message, grid.apply(message)));
        if (duplicates > 0) {
          add(found, message + " arrives and is repeated", grid -> grid.repeated(message));
          add(found, message + " arrives, a copy is late", grid -> grid.copied(message));
        }
        if (losses > 0) {
          add(found, message + " is lost", grid -> grid.lost(message, false, false));
          add(
              found,
              message + " arrives, its answer is lost",
              grid -> grid.lost(message, true, false));
          add(found, message + " is given up and late", grid -> grid.lost(message, false, true));
        }
      }
      if ((late & message.bit()) != 0) {
        add(found, message + " arrives late", grid -> grid.arrivesLate(message));
      }
    }
  }

  private void send(Message message) {
    underWay |= message.bit();
  }

  private void repeated(Message message) {
    duplicates--;
    var unused = apply(message);
  }

  private void copied(Message message) {
    duplicates--;
    late |= message.bit();
    answered(message, apply(message));
  }

  private void lost(Message message, boolean applied, boolean later) {
    losses--;
    if (applied) {
      var unused = apply(message);
    }
    if (later) {
      late |= message.bit();
    }
    answered(message, null);
  }

  private void arrivesLate(Message message) {
    late &= ~message.bit();
    var unused = apply(message);
  }

  private Reply apply(Message message) {
    boolean pinned = isClaimOfPinned(message);
    Reply reply = apply(command(message));
    check(reply.isOk() || !pinned, "a claim of a pinned handle is never refused");
    return reply;
  }

  private Reply apply(Command command) {
    EntrySpace.Move move = entries.apply(entry, command);
    entry = move.entry();
    return move.reply();
  }

  private Command command(Message message) {
    return switch (message) {
      case CREATE -> new Create(id(B), FORK[0], id(A));
      case ENDED -> new Resolve(id(B), endedInTime ? State.READY : State.TIMED_OUT, null, null, 0);
      case GAVE_UP -> new Resolve(id(B), State.TIMED_OUT, null, FORK[0], id(A));
      case FIRST_CLAIM -> new Claim(FORK[0], FORK[1], id(C), id(B));
      case SECOND_CLAIM -> new Claim(FORK[1], FORK[2], id(D), id(B));
      case FIRST_RELEASE -> new Release(FORK[0]);
      case SECOND_RELEASE -> new Release(FORK[1]);
      case THIRD_RELEASE -> new Release(FORK[2]);
    };
  }

  /** The sender of a command hears what became of it, or with null that nobody knows. */
  private void answered(Message message, @Nullable Reply reply) {
    underWay &= ~message.bit();
    switch (message) {
      case CREATE -> mayCreate(reply);
      case ENDED -> ended(reply);
      case GAVE_UP -> gaveUp(reply);
      case FIRST_CLAIM -> claimed(0, reply);
      case SECOND_CLAIM -> claimed(1, reply);
      case FIRST_RELEASE, SECOND_RELEASE, THIRD_RELEASE -> {} // Left to reconciliation.
    }
  }

  // ---- The creation (Creations) ----

  private void creating(List<Next> found) {
    if (making == Making.ON_ITS_WAY) {
      if (isAlive(B)) {
        add(found, "B is called", SmallGrid::called);
      }
      if (losses > 0) {
        add(found, "the call to B is lost", grid -> grid.loseCall());
      }
    } else if (making == Making.ASKING && isAlive(B)) {
      add(found, "B drops the call", grid -> grid.making = Making.DROPPED);
    } else if (making == Making.RUNNING && isAlive(B)) {
      add(found, "the work ends", SmallGrid::workEnds);
    }
    if (creation == Creation.WAITING && isAlive(A)) {
      if (making == Making.DONE) {
        add(found, "A hears of the object", grid -> grid.creation = Creation.CREATED);
      }
      add(found, "A gives the creation up", SmallGrid::giveUp);
    }
  }

  private void called() {
    making = Making.ASKING;
    send(Message.CREATE);
  }

  private void loseCall() {
    losses--;
    making = Making.OVER;
  }

  private void mayCreate(@Nullable Reply reply) {
    if (isAlive(B) && reply != null && reply.isOk()) {
      object = OwnedState.BEING_MADE;
      if (making == Making.DROPPED) {
        endedInTime = false;
        send(Message.ENDED);
        making = Making.OVER;
      } else {
        making = Making.RUNNING;
      }
    } else {
      making = Making.REFUSED;
    }
  }

  private void workEnds() {
    making = Making.DONE;
    if (object == OwnedState.BEING_MADE) {
      object = OwnedState.THERE;
    }
    send(Message.ENDED);
  }

  private void ended(@Nullable Reply reply) {
    boolean refused = reply != null && !reply.isOk();
    if (refused && isAlive(B) && reply.state() != State.ABSENT && reply.state() != State.EXPECTED) {
      object = OwnedState.DROPPED;
    }
  }

  private void giveUp() {
    creation = Creation.ASKING;
    send(Message.GAVE_UP);
  }

  private void gaveUp(@Nullable Reply reply) {
    boolean ownerWasFirst = reply != null && !reply.isOk() && reply.state().isLive();
    creation = ownerWasFirst ? Creation.CREATED : Creation.FAILED;
  }

  // ---- Handing on (RRefMessages): level `share` to level `share + 1` ----

  private int sender(int share) {
    return HOLDER[share];
  }

  private int receiver(int share) {
    return HOLDER[share + 1];
  }

  private boolean isOpen(int share) {
    return (open & 1 << share) != 0;
  }

  private void sharingAsArgument(List<Next> found, int share) {
    String by = name(sender(share));
    String to = name(receiver(share));
    boolean receives = isAlive(receiver(share));
    if (sharing[share] == Sharing.NOT_BEGUN && mayHandOn(share)) {
      add(found, by + " hands to " + to, grid -> grid.begin(share, Sharing.ON_ITS_WAY));
    } else if (sharing[share] == Sharing.ON_ITS_WAY) {
      if (receives) {
        add(found, to + " receives", grid -> grid.receive(share));
      }
      if (losses > 0) {
        add(found, "the message to " + to + " is lost", grid -> grid.loseMessage(share));
      }
    } else if (sharing[share] == Sharing.CLAIMING && receives) {
      add(found, to + " drops the call", grid -> grid.dropRequest(share));
    }
    if (isOpen(share) && isAlive(sender(share))) {
      add(found, by + "'s call ends", grid -> grid.open &= ~(1 << share));
    }
  }

  private boolean mayHandOn(int share) {
    return handles[share] == HandleState.OPEN && isAlive(sender(share));
  }

  private void begin(int share, Sharing state) {
    sharing[share] = state;
    open |= 1 << share;
  }

  private void receive(int share) {
    sharing[share] = Sharing.CLAIMING;
    handles[share + 1] = HandleState.CLAIMING;
    send(Message.claim(share));
  }

  private void loseMessage(int share) {
    losses--;
    sharing[share] = Sharing.OVER;
  }

  private void dropRequest(int share) {
    sharing[share] = Sharing.OVER;
    close(share + 1);
  }

  private void sharingInReply(List<Next> found, int share) {
    String by = name(sender(share));
    String to = name(receiver(share));
    boolean waits = isAlive(receiver(share));
    if (sharing[share] == Sharing.NOT_BEGUN && mayHandOn(share) && waits) {
      add(found, by + " replies to " + to, grid -> grid.claimForCaller(share));
    } else if (sharing[share] == Sharing.REPLY_ON_ITS_WAY) {
      if (waits) {
        add(found, to + " gets the reply", grid -> grid.replyArrives(share));
      }
      if (losses > 0) {
        add(found, "the reply to " + to + " is lost", grid -> grid.loseMessage(share));
      }
    }
    if (isOpen(share) && waits) {
      add(found, to + " gives its call up", grid -> grid.open &= ~(1 << share));
    }
  }

  private void claimForCaller(int share) {
    begin(share, Sharing.CLAIMING);
    send(Message.claim(share));
  }

  private void replyArrives(int share) {
    sharing[share] = Sharing.OVER;
    handles[share + 1] = HandleState.OPEN;
    if (!isOpen(share)) {
      close(share + 1); // What comes too late is released.
    }
    open &= ~(1 << share);
  }

  private void claimed(int share, @Nullable Reply reply) {
    boolean ok = reply != null && reply.isOk();
    if (sharing[share] != Sharing.CLAIMING) {
      return;
    }
    if (plan.inReply(share)) {
      sharing[share] = ok ? Sharing.REPLY_ON_ITS_WAY : Sharing.OVER;
      if (!isAlive(sender(share))) {
        sharing[share] = Sharing.OVER;
      } else if (!ok) {
        send(Message.release(share + 1));
      }
    } else {
      sharing[share] = Sharing.OVER;
      if (ok && isAlive(receiver(share))) {
        handles[share + 1] = HandleState.OPEN;
      } else {
        close(share + 1);
      }
    }
  }

  // ---- Handles ----

  private void close(int level) {
    if (isAlive(HOLDER[level])) {
      handles[level] = HandleState.CLOSED;
    }
  }

  /** Returns whether a message is under way that carries a handle or needs it. */
  private boolean isPinned(int level) {
    if (level == 0 && (creation == Creation.WAITING || creation == Creation.ASKING)) {
      return true;
    }
    return level < sharing.length
        && (plan.inReply(level) ? sharing[level] == Sharing.CLAIMING : isOpen(level));
  }

  private void releaseWhatIsDue() {
    for (int level = 0; level < handles.length; level++) {
      if (handles[level] == HandleState.CLOSED && !isPinned(level)) {
        handles[level] = HandleState.RELEASED;
        send(Message.release(level));
      }
    }
  }

  // ---- Crashes, reconciliation (Reconciler), and time ----

  private void crashing(List<Next> found) {
    for (int party : new int[] {A, B, C, D}) {
      if (isAlive(party) && (party == B ? ownerCrashes : holderCrashes) > 0) {
        add(found, name(party) + " crashes", grid -> grid.crash(party));
      }
    }
  }

  private void crash(int party) {
    dead |= 1 << party;
    if (party == B) {
      ownerCrashes--;
      object = OwnedState.NONE;
      return;
    }
    holderCrashes--;
    for (int level = 0; level < handles.length; level++) {
      if (HOLDER[level] == party) {
        handles[level] = HandleState.NONE;
      }
    }
  }

  private void reconciling(List<Next> found) {
    Entry is = entries.get(entry);
    for (long holder : is.forks().holders()) {
      if (!isAlive((int) holder - 1)) {
        add(found, "sweep of holders", grid -> grid.apply(new HolderLost(holder)));
      }
    }
    boolean mayBeOwned = is.state() == State.EXPECTED || is.state().isLive();
    if (!isAlive(B) && mayBeOwned && is.owner() == id(B)) {
      add(found, "sweep of the owner", grid -> grid.apply(new OwnerLost(id(B))));
    }
    boolean owned = object == OwnedState.BEING_MADE || object == OwnedState.THERE;
    if (owned && (is.state() == State.GONE || is.state() == State.LOST)) {
      add(found, "B drops the object", grid -> grid.object = OwnedState.DROPPED);
    }
    for (int level = 0; level < handles.length; level++) {
      int stray = level;
      if (isStray(is, level)) {
        add(found, "stray fork", grid -> grid.send(Message.release(stray)));
      }
    }
    // A tombstone outlives many rounds, so the owner has dropped its object before it ends; and
    // every message, so that only late copies come after it.
    if (is.mayExpire() && !owned && nothingIsUnderWay()) {
      add(found, "the tombstone ends", SmallGrid::expire);
    }
  }

  private boolean isStray(Entry is, int level) {
    boolean held = handles[level] != HandleState.NONE && handles[level] != HandleState.RELEASED;
    boolean awaited = level > 0 && plan.inReply(level - 1) && isOpen(level - 1);
    return isAlive(HOLDER[level])
        && !held
        && !awaited
        && is.forks().contains(FORK[level])
        && (underWay & Message.release(level).bit()) == 0;
  }

  private boolean nothingIsUnderWay() {
    return underWay == 0
        && !(making == Making.ON_ITS_WAY && isAlive(B))
        && !isOnItsWay(0)
        && !isOnItsWay(1);
  }

  private boolean isOnItsWay(int share) {
    return sharing[share] == Sharing.ON_ITS_WAY && isAlive(receiver(share));
  }

  private void expire() {
    entry = EntrySpace.ABSENT;
    expired = true;
  }

  // ---- What must hold ----

  /** Checks what holds in every state. */
  void checkAlways() {
    Entry is = entries.get(entry);
    boolean isUsed = false;
    for (int level = 0; level < handles.length; level++) {
      boolean usable = level > 0 || creation == Creation.CREATED;
      if (handles[level] == HandleState.OPEN && usable) {
        isUsed = true;
        check(is.forks().contains(FORK[level]), "an open handle is a fork");
      }
    }
    boolean owned = object == OwnedState.BEING_MADE || object == OwnedState.THERE;
    if (isUsed && isAlive(B) && is.state() == State.READY) {
      check(object == OwnedState.THERE, "no object is dropped while a handle is open");
    }
    check(!owned || is.state() != State.ABSENT, "an object has an entry");
    check(!owned || is.state() != State.EXPECTED, "an object has an entry that is live");
  }

  /** Checks what holds when nothing can happen any more. */
  void checkEnd() {
    Entry is = entries.get(entry);
    check(is.state() == State.ABSENT, "no entry is left");
    check(object == OwnedState.NONE || object == OwnedState.DROPPED, "no object is left");
    for (HandleState handle : handles) {
      check(handle == HandleState.NONE || handle == HandleState.RELEASED, "no handle is left");
    }
    check(!isAlive(A) || creation != Creation.WAITING, "the creator knows the outcome");
  }

  /**
   * Returns whether the sender of an RRef waits for what became of it and the receiver has not let
   * it go: then it must arrive, while nobody crashes.
   */
  private boolean isClaimOfPinned(Message message) {
    if (message != Message.FIRST_CLAIM && message != Message.SECOND_CLAIM) {
      return false;
    }
    int share = message == Message.FIRST_CLAIM ? 0 : 1;
    boolean childIsWanted = plan.inReply(share) || handles[share + 1] == HandleState.CLAIMING;
    return dead == 0
        && !expired
        && (underWay & message.bit()) != 0
        && (underWay & Message.release(share + 1).bit()) == 0
        && isOpen(share)
        && childIsWanted;
  }

  private boolean isAlive(int party) {
    return (dead & 1 << party) == 0;
  }

  private static long id(int party) {
    return party + 1L;
  }

  private static String name(int party) {
    return "ABCD".substring(party, party + 1);
  }

  // Not an AssertJ assertion: it runs many million times.
  private static void check(boolean holds, String invariant) {
    if (!holds) {
      throw new AssertionError(invariant);
    }
  }

  @Override
  public String toString() {
    return entries.get(entry)
        + ", object "
        + object
        + ", creation "
        + making
        + "/"
        + creation
        + ", handles "
        + List.of(handles)
        + ", sharing "
        + List.of(sharing);
  }
}
