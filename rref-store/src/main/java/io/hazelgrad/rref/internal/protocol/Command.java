package io.hazelgrad.rref.internal.protocol;

import org.jspecify.annotations.Nullable;

/**
 * One step of the RRef protocol. Commands may come late, twice and in any order. Owners and holders
 * are the ids of incarnations of workers and clients.
 */
public sealed interface Command {

  /** Sent by the owner before it makes the object, with the fork of the creator's handle. */
  record Create(long owner, ForkId fork, long holder) implements Command {}

  /**
   * Ends the creation; sent by the owner or by a caller that gave up. The first of several counts.
   *
   * @param outcome {@link RRefState#READY}, {@link RRefState#FAILED} or {@link RRefState#TIMED_OUT}
   * @param type the name of the object's type, if it is known
   * @param fork the fork with which the sender makes a missing entry; null if it must exist already
   * @param holder the holder of that fork
   * @param epoch the owner's number, if its durable value is stored; else {@link Entry#NOT_DURABLE}
   */
  record Resolve(
      long owner,
      RRefState outcome,
      @Nullable String type,
      @Nullable ForkId fork,
      long holder,
      int epoch)
      implements Command {
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

  /** Makes the handle of a receiver a fork before the receiver uses it. */
  record Claim(ForkId parent, ForkId child, long holder, long owner) implements Command {}

  /** Enters a fork again after its partition was lost, whatever the registry knows of it. */
  record Restore(ForkId fork, long holder, long owner) implements Command {}

  /**
   * Adds a fork of the owner, the keeper, to an entry that is being restored. As long as the keeper
   * is there, the entry may lack forks.
   */
  record Keep(ForkId fork, long owner) implements Command {}

  /** Removes the fork of a handle that was closed or will never be used. */
  record Release(ForkId fork) implements Command {}

  /** Removes all forks of a dead holder. */
  record HolderLost(long incarnation) implements Command {}

  /** Ends the ownership of a dead or leaving owner; objects that are not durable are lost. */
  record OwnerLost(long incarnation) implements Command {}

  /**
   * Makes a worker that has a durable object's value its next owner. The first of several counts.
   *
   * @param epoch the epoch of the lost owner
   */
  record Adopt(int epoch, long owner) implements Command {}

  /** Ends a durable object whose owner of this epoch is lost and whose value is not stored. */
  record ValueLost(int epoch) implements Command {}
}
