package io.hazelgrad.rref.internal.protocol;

import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The registry's entry of one RRef: its owner, its state and its forks.
 *
 * <p>An entry is a value. A command makes a new entry that shares the unchanged {@link Forks}, so a
 * command costs about the same with ten forks and ten thousand. Hazelcast runs queries on other
 * threads, which always see a whole entry. Changing one object in place would be a little faster,
 * but unsafe under those queries and after a step that failed half way.
 *
 * <p>It is no record: Hazelcast reads the fields into an empty object. They change only then.
 */
public final class Entry implements IdentifiedDataSerializable {
  public static final Entry ABSENT = new Entry();

  /** The owner of an entry that only releases have mentioned. */
  public static final long NO_OWNER = 0;

  /** The epoch of an object that is not durable; those of owners count from 1. */
  public static final int NOT_DURABLE = 0;

  private RRefState state;
  private long owner;
  private int epoch;
  private @Nullable String type;
  private Forks forks;
  private ReleasedForks released;
  private @Nullable ForkId keeper;

  public Entry() {
    this(RRefState.ABSENT, NO_OWNER, NOT_DURABLE, null, Forks.NONE, ReleasedForks.NONE, null);
  }

  private Entry(
      RRefState state,
      long owner,
      int epoch,
      @Nullable String type,
      Forks forks,
      ReleasedForks released,
      @Nullable ForkId keeper) {
    this.state = state;
    this.owner = owner;
    this.epoch = epoch;
    this.type = type;
    this.forks = forks;
    this.released = released;
    // A keeper that was released keeps nothing.
    this.keeper = keeper != null && forks.contains(keeper) ? keeper : null;
  }

  public RRefState state() {
    return state;
  }

  public long owner() {
    return owner;
  }

  /** Returns the number of owners that a durable object has had, or {@link #NOT_DURABLE}. */
  public int epoch() {
    return epoch;
  }

  /** Returns the name of the object's type, or null while it is not known. */
  public @Nullable String type() {
    return type;
  }

  public Forks forks() {
    return forks;
  }

  /** Returns the state's name; for SQL. */
  public String stateName() {
    return state.name();
  }

  /** Returns the number of forks; for SQL. */
  public int forkCount() {
    return forks.size();
  }

  /** Returns the ids of the holders; for SQL. It looks at every fork. */
  public String holderIds() {
    return forks.holders().stream().map(String::valueOf).collect(Collectors.joining(","));
  }

  ReleasedForks released() {
    return released;
  }

  /** Returns the owner's fork while the entry is being restored, null at other times. */
  @Nullable ForkId keeper() {
    return keeper;
  }

  /** Returns whether nothing depends on this entry any more, so that it may expire. */
  public boolean mayExpire() {
    return state == RRefState.GONE || (state == RRefState.EXPECTED && forks.isEmpty());
  }

  public Entry in(RRefState newState, long newOwner, @Nullable String newType) {
    return new Entry(newState, newOwner, epoch, newType, forks, released, keeper);
  }

  Entry inEpoch(int newEpoch) {
    return new Entry(state, owner, newEpoch, type, forks, released, keeper);
  }

  /** Returns this entry, or an expected one if this one is absent. */
  Entry orExpected(long expectedOwner) {
    RRefState next = state == RRefState.ABSENT ? RRefState.EXPECTED : state;
    return in(next, owner == NO_OWNER ? expectedOwner : owner, type);
  }

  public Entry withFork(ForkId fork, long holder) {
    return new Entry(state, owner, epoch, type, forks.plus(fork, holder), released, keeper);
  }

  Entry keptBy(ForkId fork) {
    return new Entry(state, owner, epoch, type, forks, released, fork);
  }

  /** Returns this entry without a fork; it remembers the fork even if it did not have it. */
  Entry withoutFork(ForkId fork) {
    Forks left = forks.contains(fork) ? forks.minus(fork) : forks;
    return new Entry(state, owner, epoch, type, left, released.plus(fork), keeper);
  }

  /** Returns this entry without some of its forks; it remembers them. */
  Entry withoutForks(List<ForkId> lost) {
    Forks left = forks;
    for (ForkId fork : lost) {
      left = left.minus(fork);
    }
    return new Entry(state, owner, epoch, type, left, released.plusAll(lost), keeper);
  }

  /** Returns the tombstone of this entry. It remembers no forks, since it refuses all forks. */
  Entry gone() {
    return new Entry(RRefState.GONE, owner, epoch, type, Forks.NONE, ReleasedForks.NONE, null);
  }

  @Override
  public int getFactoryId() {
    return TypeIds.FACTORY;
  }

  @Override
  public int getClassId() {
    return TypeIds.ENTRY;
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    out.writeByte(state.toCode());
    out.writeLong(owner);
    out.writeInt(epoch);
    out.writeString(type);
    out.writeInt(forks.size());
    for (Forks.Fork fork : forks.toList()) {
      fork.id().write(out);
      out.writeLong(fork.holder());
    }
    out.writeInt(released.newestLast().size());
    for (ForkId fork : released.newestLast()) {
      fork.write(out);
    }
    ForkId kept = keeper;
    out.writeBoolean(kept != null);
    if (kept != null) {
      kept.write(out);
    }
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    state = RRefState.fromCode(in.readByte());
    owner = in.readLong();
    epoch = in.readInt();
    type = in.readString();
    int live = readCount(in, Integer.MAX_VALUE);
    for (int i = 0; i < live; i++) {
      forks = forks.plus(ForkId.read(in), in.readLong());
    }
    int over = readCount(in, ReleasedForks.LIMIT);
    for (int i = 0; i < over; i++) {
      released = released.plus(ForkId.read(in));
    }
    keeper = in.readBoolean() ? ForkId.read(in) : null;
  }

  private static int readCount(ObjectDataInput in, int limit) throws IOException {
    int count = in.readInt();
    if (count < 0 || count > limit) {
      throw new IOException("A registry entry cannot have " + count + " forks");
    }
    return count;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Entry entry
        && state == entry.state
        && owner == entry.owner
        && epoch == entry.epoch
        && Objects.equals(type, entry.type)
        && forks.equals(entry.forks)
        && released.equals(entry.released)
        && Objects.equals(keeper, entry.keeper);
  }

  @Override
  public int hashCode() {
    return Objects.hash(state, owner, epoch, type, forks, released, keeper);
  }

  @Override
  public String toString() {
    return "%s owner=%s epoch=%s type=%s forks=%s over=%s"
            .formatted(state, owner, epoch, type, forks, released.newestLast())
        + (keeper == null ? "" : " keeper=" + keeper);
  }
}
