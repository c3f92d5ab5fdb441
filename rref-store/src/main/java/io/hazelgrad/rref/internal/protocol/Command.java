package io.hazelgrad.rref.internal.protocol;

import org.jspecify.annotations.Nullable;

/**
 * One step of the protocol. Commands may come late, twice and in any order.
 *
 * <p>Owners and holders are incarnations of workers and clients, named by their ids.
 */
public sealed interface Command {

  /**
   * The owner was called to make the object and asks whether to begin.
   *
   * @param fork the creator's handle
   * @param holder the creator
   */
  record Create(long owner, ForkId fork, long holder) implements Command {}

  /**
   * The creation is over, says the owner that ended it, or a caller that stopped waiting. Of
   * several the first holds.
   *
   * @param outcome {@link RRefState#READY}, {@link RRefState#FAILED} or {@link RRefState#TIMED_OUT}
   * @param type name of the object's type, if it is known
   * @param fork the sender's own handle, with which it makes the entry if there is none yet; null
   *     if the entry must be there already, as for work that ended
   * @param holder the holder of that fork
   * @param epoch counts the owners of a durable object, whose value is stored already; {@link
   *     Entry#NOT_DURABLE} for others
   */
  record Resolve(
      long owner,
      RRefState outcome,
      @Nullable String type,
      @Nullable ForkId fork,
      long holder,
      int epoch)
      implements Command {
    /** The end of the creation of an object that is not durable. */
    public Resolve(
        long owner, RRefState outcome, @Nullable String type, @Nullable ForkId fork, long holder) {
      this(owner, outcome, type, fork, holder, Entry.NOT_DURABLE);
    }

    public Resolve {
      if (!outcome.isCreated()) {
        throw new IllegalArgumentException("A creation does not end as " + outcome);
      }
    }
  }

  /** A receiver was handed an RRef and makes its handle a fork before it uses it. */
  record Claim(ForkId parent, ForkId child, long holder, long owner) implements Command {}

  /**
   * A holder says that it holds a fork, whatever the registry knows: said after a partition was
   * lost, about handles that were forks before.
   */
  record Restore(ForkId fork, long holder, long owner) implements Command {}

  /**
   * An owner adds a fork of its own, the keeper, while an entry that was lost is made anew: as long
   * as it is there, nobody knows all forks.
   */
  record Keep(ForkId fork, long owner) implements Command {}

  /** A handle was closed, or will never be used. */
  record Release(ForkId fork) implements Command {}

  /** A holder is dead, and all its handles with it. */
  record HolderLost(long incarnation) implements Command {}

  /** An owner is dead or gives its objects up; those that are not durable are lost. */
  record OwnerLost(long incarnation) implements Command {}

  /**
   * A worker has the stored value of a durable object whose owner is gone, and wants to be the next
   * owner. Of several the first one is.
   *
   * @param epoch that of the owner that is gone
   */
  record Adopt(int epoch, long owner) implements Command {}

  /** The owner of this epoch is gone, and nothing is stored of the object. */
  record ValueLost(int epoch) implements Command {}
}
