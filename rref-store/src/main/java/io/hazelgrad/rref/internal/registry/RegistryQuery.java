package io.hazelgrad.rref.internal.registry;

import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import com.hazelcast.query.Predicate;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.protocol.Entry;
import io.hazelgrad.rref.internal.protocol.RRefState;
import io.hazelgrad.rref.internal.protocol.TypeIds;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;

/** A query of reconciliation. It looks at every entry, and at every fork of some entries. */
public final class RegistryQuery implements Predicate<RRefId, Entry>, IdentifiedDataSerializable {
  private static final int LIVE = 1;
  private static final int OWNED_BY = 2;
  private static final int HELD_BY = 3;
  private static final int DEAD = 4;
  private static final int DURABLE = 5;

  private int kind;
  private long[] ids = {};

  /** For the serializer. */
  public RegistryQuery() {}

  private RegistryQuery(int kind, long... ids) {
    this.kind = kind;
    this.ids = ids;
  }

  /** Returns the query for entries that are live or lost. */
  public static RegistryQuery live() {
    return new RegistryQuery(LIVE);
  }

  /** Returns the query for the live entries of one owner. */
  public static RegistryQuery ownedBy(long owner) {
    return new RegistryQuery(OWNED_BY, owner);
  }

  /** Returns the query for entries with a fork of one holder. */
  public static RegistryQuery heldBy(long holder) {
    return new RegistryQuery(HELD_BY, holder);
  }

  /** Returns the query for the live entries of durable objects. */
  public static RegistryQuery durable() {
    return new RegistryQuery(DURABLE);
  }

  /** Returns the query for entries with an owner or holder that is not living, or orphaned. */
  public static RegistryQuery dead(Collection<Long> living) {
    return new RegistryQuery(DEAD, living.stream().mapToLong(Long::longValue).sorted().toArray());
  }

  @Override
  public boolean apply(Map.Entry<RRefId, Entry> stored) {
    Entry entry = stored.getValue();
    return switch (kind) {
      case LIVE -> entry.state().isLive() || entry.state() == RRefState.LOST;
      case OWNED_BY ->
          entry.state().isLive() && entry.state() != RRefState.ORPHANED && entry.owner() == ids[0];
      case DURABLE -> entry.epoch() != Entry.NOT_DURABLE && entry.state().isLive();
      case HELD_BY -> entry.forks().holders().contains(ids[0]);
      case DEAD -> namesTheDead(entry);
      default -> false;
    };
  }

  private boolean namesTheDead(Entry entry) {
    return switch (entry.state()) {
      case ABSENT, GONE -> false;
      case ORPHANED -> true;
      case LOST -> holdersDead(entry);
      case EXPECTED, CREATING, READY, FAILED, TIMED_OUT ->
          holdersDead(entry) || (entry.owner() != Entry.NO_OWNER && isDead(entry.owner()));
    };
  }

  private boolean holdersDead(Entry entry) {
    return entry.forks().holders().stream().anyMatch(this::isDead);
  }

  private boolean isDead(long id) {
    return Arrays.binarySearch(ids, id) < 0;
  }

  @Override
  public int getFactoryId() {
    return TypeIds.FACTORY;
  }

  @Override
  public int getClassId() {
    return TypeIds.REGISTRY_QUERY;
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    out.writeInt(kind);
    out.writeLongArray(ids);
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    kind = in.readInt();
    long[] read = in.readLongArray();
    ids = read == null ? new long[0] : read;
  }
}
