package io.hazelgrad.rref.internal.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * One state of a grid of four with one RRef: A calls B to make an object, hands it to C, and C
 * hands it to D, each time as an argument or in a reply. What senders, receivers and reconciliation
 * do is modelled as the classes of this package do it; what the registry does is {@link Registry}
 * itself.
 *
 * <p>Every call may be given up by its caller at any time, every handle closed, every command
 * delayed. A few times each, as {@link Faults} allows: a command is applied twice, long after its
 * answer too; a command, its answer or a message is lost; a party crashes; a tombstone ends.
 *
 * <p>This class is the state, and what happens to handles. The other steps are in {@link
 * SmallGridCommands}, {@link SmallGridCreation}, {@link SmallGridSharing} and {@link
 * SmallGridSweeps}; what must hold is in {@link SmallGridChecks}.
 */
// States are packed as small as they can be; ordinals never leave an exploration.
@SuppressWarnings("EnumOrdinal")
public final class SmallGrid {
  /** How often something may still go wrong. */
  public record Faults(int duplicates, int losses, int ownerCrashes, int holderCrashes) {
    Faults lessDuplicate() {
      return new Faults(duplicates - 1, losses, ownerCrashes, holderCrashes);
    }

    Faults lessLoss() {
      return new Faults(duplicates, losses - 1, ownerCrashes, holderCrashes);
    }

    Faults lessCrash(int party) {
      return party == B
          ? new Faults(duplicates, losses, ownerCrashes - 1, holderCrashes)
          : new Faults(duplicates, losses, ownerCrashes, holderCrashes - 1);
    }

    boolean mayCrash(int party) {
      return (party == B ? ownerCrashes : holderCrashes) > 0;
    }
  }

  /** How A hands on to C, and C to D. */
  public record Plan(boolean firstInReply, boolean secondInReply) {
    boolean inReply(int share) {
      return share == 0 ? firstInReply : secondInReply;
    }
  }

  /** A step and the state after it. */
  public record Next(String step, SmallGrid after) {}

  /** The steps that may follow a state. */
  static final class Steps {
    private final SmallGrid from;
    private final List<Next> found = new ArrayList<>();

    private Steps(SmallGrid from) {
      this.from = from;
    }

    /** Adds a step that makes a change to a copy of the state. */
    void add(String step, Consumer<SmallGrid> change) {
      SmallGrid after = new SmallGrid(from);
      change.accept(after);
      after.releaseWhatIsDue();
      found.add(new Next(step, after));
    }
  }

  static final int A = 0;
  static final int B = 1;
  static final int C = 2;
  static final int D = 3;

  /** The fork of each level and who holds it. */
  static final int[] HOLDER = {A, C, D};

  static final ForkId[] FORK = {
    ForkId.of(id(A), 1), ForkId.of(id(A), 2), ForkId.inReply(id(D), 7, 0)
  };

  /** A command of one of the four to the registry. */
  enum Message {
    CREATE,
    ENDED,
    GAVE_UP,
    FIRST_CLAIM,
    SECOND_CLAIM,
    FIRST_RELEASE,
    SECOND_RELEASE,
    THIRD_RELEASE;

    static final Message[] ALL = values();

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
  enum Making {
    ON_ITS_WAY,
    ENTERING,
    ENDED_EARLY,
    DROPPED,
    RUNNING,
    DONE,
    REFUSED,
    OVER
  }

  /** The same request, as A sees it. */
  enum Creation {
    WAITING,
    ASKING,
    CREATED,
    FAILED
  }

  /** The object in B's memory. */
  enum OwnedState {
    NONE,
    BEING_MADE,
    THERE,
    DROPPED
  }

  /** The handle of a level. */
  enum HandleState {
    NONE,
    CLAIMING,
    OPEN,
    CLOSED,
    RELEASED
  }

  /** The call that hands the RRef on. */
  enum Sharing {
    NOT_BEGUN,
    ON_ITS_WAY,
    CLAIMING,
    REPLY_ON_ITS_WAY,
    OVER
  }

  final EntrySpace entries;
  final Plan plan;

  /** How often something may still go wrong. */
  Faults faults;

  /** The number of the registry's entry. */
  int entry = EntrySpace.ABSENT;

  /** Whether the entry ended and its tombstone too. */
  boolean expired;

  /** Which parties have crashed. */
  int dead;

  Making making = Making.ON_ITS_WAY;
  boolean endedInTime = true;
  Creation creation = Creation.WAITING;
  OwnedState object = OwnedState.NONE;
  final HandleState[] handles;
  final Sharing[] sharing;

  /** Which sharing calls their callers still wait for. */
  int open;

  /** Commands that were sent and not answered. */
  int underWay;

  /** Commands of which a copy may still arrive. */
  int late;

  public SmallGrid(EntrySpace entries, Plan plan, Faults faults) {
    this.entries = entries;
    this.plan = plan;
    this.faults = faults;
    handles = new HandleState[] {HandleState.OPEN, HandleState.NONE, HandleState.NONE};
    sharing = new Sharing[] {Sharing.NOT_BEGUN, Sharing.NOT_BEGUN};
  }

  private SmallGrid(SmallGrid from) {
    entries = from.entries;
    plan = from.plan;
    faults = from.faults;
    entry = from.entry;
    expired = from.expired;
    dead = from.dead;
    making = from.making;
    endedInTime = from.endedInTime;
    creation = from.creation;
    object = from.object;
    handles = from.handles.clone();
    sharing = from.sharing.clone();
    open = from.open;
    underWay = from.underWay;
    late = from.late;
  }

  /** Returns every step that may come next, and where it leads. */
  public List<Next> next() {
    Steps steps = new Steps(this);
    SmallGridCommands.steps(this, steps);
    SmallGridCreation.steps(this, steps);
    SmallGridSharing.steps(this, steps);
    closing(steps);
    SmallGridSweeps.steps(this, steps);
    return steps.found;
  }

  /** Returns a number that differs for different states, but for one chance in 2^64 per pair. */
  public long fingerprint() {
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
    return mix(
        hash,
        faults.duplicates
            | faults.losses << 4
            | faults.ownerCrashes << 8
            | faults.holderCrashes << 12);
  }

  private static long mix(long hash, long value) {
    long mixed = (hash ^ value) * 0x9E3779B97F4A7C15L;
    mixed = (mixed ^ (mixed >>> 32)) * 0xBF58476D1CE4E5B9L;
    return mixed ^ (mixed >>> 29);
  }

  // ---- The parties, what they send, and the registry ----

  static long id(int party) {
    return party + 1L;
  }

  static String name(int party) {
    return "ABCD".substring(party, party + 1);
  }

  boolean isAlive(int party) {
    return (dead & 1 << party) == 0;
  }

  void send(Message message) {
    underWay |= message.bit();
  }

  boolean isUnderWay(Message message) {
    return (underWay & message.bit()) != 0;
  }

  /** Returns the registry's entry. */
  Entry registered() {
    return entries.get(entry);
  }

  /** The registry gets a command. */
  CommandReply apply(Command command) {
    EntrySpace.Move move = entries.apply(entry, command);
    entry = move.entry();
    return move.reply();
  }

  /** Returns whether the object takes up B's memory. */
  boolean isOwned() {
    return object == OwnedState.BEING_MADE || object == OwnedState.THERE;
  }

  /** Returns whether B has heard that its object has an entry. */
  boolean isEntered() {
    return making != Making.ENTERING && making != Making.ENDED_EARLY && making != Making.DROPPED;
  }

  /** Returns whether the caller of a sharing call waits for it. */
  boolean isOpen(int share) {
    return (open & 1 << share) != 0;
  }

  // ---- Handles ----

  private void closing(Steps found) {
    for (int i = 0; i < handles.length; i++) {
      int level = i;
      if (handles[level] == HandleState.OPEN && isAlive(HOLDER[level])) {
        found.add(name(HOLDER[level]) + " closes", grid -> grid.close(level));
      }
    }
  }

  void close(int level) {
    if (isAlive(HOLDER[level])) {
      handles[level] = HandleState.CLOSED;
    }
  }

  private void releaseWhatIsDue() {
    for (int level = 0; level < handles.length; level++) {
      if (handles[level] == HandleState.CLOSED && !isPinned(level)) {
        handles[level] = HandleState.RELEASED;
        send(Message.release(level));
      }
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

  @Override
  public String toString() {
    return registered()
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
