package io.hazelgrad.rref.internal.protocol;

import io.hazelgrad.rref.internal.protocol.CommandReply.Verdict;
import java.util.List;

/**
 * The RRef protocol as a pure function: maps an entry and a command to the next entry and a reply.
 *
 * <p>It uses neither clock nor chance. A backup that repeats the commands therefore has the same
 * result as the primary, and tests can explore every order of commands. Every command is
 * idempotent: a second copy changes nothing.
 */
public final class Registry {
  private Registry() {}

  /** The entry after a command, whether it differs from the one before, and the reply. */
  public record Result(Entry entry, boolean changed, CommandReply reply) {}

  /** Applies a command to an entry, which is {@link Entry#ABSENT} if there is none. */
  public static Result apply(Entry entry, Command command) {
    if (command instanceof Command.Create create) {
      return create(entry, create);
    } else if (command instanceof Command.Resolve resolve) {
      return resolve(entry, resolve);
    } else if (command instanceof Command.Claim claim) {
      return claim(entry, claim);
    } else if (command instanceof Command.Restore restore) {
      return restore(entry, restore);
    } else if (command instanceof Command.Keep keep) {
      return keep(entry, keep);
    } else if (command instanceof Command.Release release) {
      return release(entry, release);
    } else if (command instanceof Command.HolderLost lost) {
      return holderLost(entry, lost.incarnation());
    } else if (command instanceof Command.OwnerLost lost) {
      return ownerLost(entry, lost.incarnation());
    } else if (command instanceof Command.Adopt adopt) {
      return adopt(entry, adopt);
    } else if (command instanceof Command.ValueLost lost) {
      return valueLost(entry, lost.epoch());
    }
    throw new AssertionError(command);
  }

  private static Result create(Entry entry, Command.Create create) {
    return switch (entry.state()) {
      case ABSENT, EXPECTED ->
          begin(entry.in(RRefState.CREATING, create.owner(), null), create.fork(), create.holder());
      // A copy of the command gets the same reply, since the first one may have been lost.
      case CREATING ->
          unchanged(entry, create.owner() == entry.owner() ? Verdict.OK : Verdict.REFUSED);
      case READY, FAILED, TIMED_OUT, ORPHANED, LOST, GONE -> unchanged(entry, Verdict.REFUSED);
    };
  }

  private static Result resolve(Entry entry, Command.Resolve resolve) {
    ForkId fork = resolve.fork();
    return switch (entry.state()) {
      // A command without a fork expects a live entry. If there is none, a partition was lost. An
      // entry made here could end before all holders have restored their forks.
      case ABSENT, EXPECTED ->
          fork == null
              ? unchanged(entry, Verdict.REFUSED)
              : begin(resolved(entry, resolve, resolve.owner()), fork, resolve.holder());
      case CREATING -> changed(resolved(entry, resolve, entry.owner()), Verdict.OK);
      case READY, FAILED, TIMED_OUT ->
          unchanged(entry, isAsResolved(entry, resolve) ? Verdict.OK : Verdict.REFUSED);
      case ORPHANED, LOST, GONE -> unchanged(entry, Verdict.REFUSED);
    };
  }

  private static Entry resolved(Entry entry, Command.Resolve resolve, long owner) {
    return entry.in(resolve.outcome(), owner, resolve.type()).inEpoch(resolve.epoch());
  }

  /** Returns whether the sender still owns the object, which another worker may have adopted. */
  private static boolean isAsResolved(Entry entry, Command.Resolve resolve) {
    boolean durable = entry.epoch() != Entry.NOT_DURABLE || resolve.epoch() != Entry.NOT_DURABLE;
    boolean sameOwner = entry.owner() == resolve.owner() && entry.epoch() == resolve.epoch();
    return entry.state() == resolve.outcome() && (!durable || sameOwner);
  }

  /** Makes a live entry of the earlier forks and a given one, or a tombstone if none is left. */
  private static Result begin(Entry begun, ForkId fork, long holder) {
    Entry live = begun;
    if (!live.released().contains(fork) && !live.forks().contains(fork)) {
      live = live.withFork(fork, holder);
    }
    return live.forks().isEmpty()
        ? changed(live.gone(), Verdict.REFUSED)
        : changed(live, Verdict.OK);
  }

  private static Result claim(Entry entry, Command.Claim claim) {
    // A live entry knows all its forks. Before it is live, its creator's fork may still come. An
    // entry with a keeper is being restored and may lack forks.
    boolean knowsAllForks = entry.state().isLive() && entry.keeper() == null;
    boolean parentGone =
        knowsAllForks
            ? !entry.forks().contains(claim.parent())
            : entry.released().contains(claim.parent());
    return admit(entry, claim.child(), claim.holder(), claim.owner(), parentGone);
  }

  private static Result restore(Entry entry, Command.Restore restore) {
    return admit(entry, restore.fork(), restore.holder(), restore.owner(), false);
  }

  private static Result keep(Entry entry, Command.Keep keep) {
    Result kept = admit(entry, keep.fork(), keep.owner(), keep.owner(), false);
    return kept.changed() ? new Result(kept.entry().keptBy(keep.fork()), true, kept.reply()) : kept;
  }

  private static Result admit(
      Entry entry, ForkId fork, long holder, long owner, boolean parentGone) {
    if (entry.forks().contains(fork)) {
      return unchanged(entry, Verdict.OK);
    }
    if (entry.state() == RRefState.LOST || entry.state() == RRefState.GONE) {
      return unchanged(entry, Verdict.REFUSED);
    }
    if (entry.released().contains(fork)) {
      return unchanged(entry, Verdict.FORK_RELEASED);
    }
    if (parentGone) {
      return unchanged(entry, Verdict.PARENT_GONE);
    }
    return changed(entry.orExpected(owner).withFork(fork, holder), Verdict.OK);
  }

  private static Result release(Entry entry, Command.Release release) {
    ForkId fork = release.fork();
    boolean live = entry.forks().contains(fork);
    boolean toRemember =
        entry.state() != RRefState.LOST
            && entry.state() != RRefState.GONE
            && !entry.released().contains(fork);
    return live || toRemember
        ? changed(settle(entry.orExpected(Entry.NO_OWNER).withoutFork(fork)), Verdict.OK)
        : unchanged(entry, Verdict.OK);
  }

  private static Result holderLost(Entry entry, long incarnation) {
    // An expected entry stays even if its creator died: after a partition was lost, other holders
    // may still restore their forks.
    List<ForkId> lost = entry.forks().heldBy(incarnation);
    return lost.isEmpty()
        ? unchanged(entry, Verdict.OK)
        : changed(settle(entry.withoutForks(lost)), Verdict.OK);
  }

  private static Result ownerLost(Entry entry, long incarnation) {
    if (entry.owner() != incarnation) {
      return unchanged(entry, Verdict.OK);
    }
    return switch (entry.state()) {
      case READY ->
          entry.epoch() == Entry.NOT_DURABLE
              ? lost(entry)
              : changed(entry.in(RRefState.ORPHANED, incarnation, entry.type()), Verdict.OK);
      case EXPECTED, CREATING, FAILED, TIMED_OUT -> lost(entry);
      case ABSENT, ORPHANED, LOST, GONE -> unchanged(entry, Verdict.OK);
    };
  }

  private static Result lost(Entry entry) {
    return changed(settle(entry.in(RRefState.LOST, entry.owner(), entry.type())), Verdict.OK);
  }

  private static Result adopt(Entry entry, Command.Adopt adopt) {
    if (entry.state() == RRefState.ORPHANED && entry.epoch() == adopt.epoch()) {
      Entry adopted = entry.in(RRefState.READY, adopt.owner(), entry.type());
      return changed(adopted.inEpoch(adopt.epoch() + 1), Verdict.OK);
    }
    boolean again =
        entry.state() == RRefState.READY
            && entry.owner() == adopt.owner()
            && entry.epoch() == adopt.epoch() + 1;
    return unchanged(entry, again ? Verdict.OK : Verdict.REFUSED);
  }

  private static Result valueLost(Entry entry, int epoch) {
    return entry.state() == RRefState.ORPHANED && entry.epoch() == epoch
        ? lost(entry)
        : unchanged(entry, Verdict.OK);
  }

  /** Ends an entry without forks, unless it is expected and waits for its creation. */
  private static Entry settle(Entry entry) {
    boolean kept = !entry.forks().isEmpty() || entry.state() == RRefState.EXPECTED;
    return kept ? entry : entry.gone();
  }

  private static Result changed(Entry entry, Verdict verdict) {
    return new Result(entry, true, new CommandReply(verdict, entry.state()));
  }

  private static Result unchanged(Entry entry, Verdict verdict) {
    return new Result(entry, false, new CommandReply(verdict, entry.state()));
  }
}
