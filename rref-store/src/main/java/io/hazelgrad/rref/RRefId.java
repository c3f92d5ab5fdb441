package io.hazelgrad.rref;

import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import com.hazelcast.partition.PartitionAware;
import io.hazelgrad.rref.internal.registry.RRefSerializerFactory;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The name of an RRef, never used again.
 *
 * <p>It is also the key of the registry. The partition key is part of it, chosen when the RRef is
 * made so that the entry starts on a member near the owner; the protocol is right wherever the
 * entry lies.
 *
 * <p>A class and not a record, because Hazelcast fills its objects after it has made them. The
 * fields change at no other time.
 */
public final class RRefId implements PartitionAware<Integer>, IdentifiedDataSerializable {
  private long creator;
  private long sequence;
  private int partitionKey;

  public RRefId() {}

  public RRefId(long creator, long sequence, int partitionKey) {
    this.creator = creator;
    this.sequence = sequence;
    this.partitionKey = partitionKey;
  }

  /** Returns the id of the worker or client that made the RRef. */
  public long creator() {
    return creator;
  }

  /** Returns the creator's count of the ids that it made. */
  public long sequence() {
    return sequence;
  }

  /** Returns the number that decides on which partition the registry entry lies. */
  @Override
  public Integer getPartitionKey() {
    return partitionKey;
  }

  @Override
  public int getFactoryId() {
    return RRefSerializerFactory.FACTORY_ID;
  }

  @Override
  public int getClassId() {
    return RRefSerializerFactory.RREF_ID;
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    out.writeLong(creator);
    out.writeLong(sequence);
    out.writeInt(partitionKey);
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    creator = in.readLong();
    sequence = in.readLong();
    partitionKey = in.readInt();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RRefId id
        && creator == id.creator
        && sequence == id.sequence
        && partitionKey == id.partitionKey;
  }

  @Override
  public int hashCode() {
    return 31 * (31 * Long.hashCode(creator) + Long.hashCode(sequence)) + partitionKey;
  }

  /** Returns the id as it appears in messages and in tools, for example {@code rref 3-17}. */
  @Override
  public String toString() {
    return "rref " + creator + "-" + sequence;
  }
}
