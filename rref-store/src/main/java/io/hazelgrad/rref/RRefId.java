package io.hazelgrad.rref;

import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import com.hazelcast.partition.PartitionAware;
import java.io.DataOutput;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The id of an RRef, the same for all its handles. An id is never used twice.
 *
 * <p>It is also the key of the registry's map. The partition key is chosen when the RRef is made,
 * so that the entry starts on the owner's member. The protocol does not depend on that.
 *
 * <p>This is a class and not a record, because Hazelcast creates an empty object and then reads the
 * fields into it. The fields change at no other time.
 */
public final class RRefId implements PartitionAware<Integer>, IdentifiedDataSerializable {
  /** The ids under which the serializer factory of this module makes such objects. */
  private static final int FACTORY_ID = 7002;

  private static final int CLASS_ID = 1;

  private long creator;
  private long sequence;
  private int partitionKey;

  /**
   * Creates an id; applications receive ids and do not create them.
   *
   * @param creator the id of the worker or client that made the RRef
   * @param sequence the creator's count of the ids that it made
   * @param partitionKey the number that decides on which partition the registry entry lies
   */
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
    return FACTORY_ID;
  }

  @Override
  public int getClassId() {
    return CLASS_ID;
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    write(out);
  }

  /** Writes it in the form that {@link #readData} reads. */
  public void write(DataOutput out) throws IOException {
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
