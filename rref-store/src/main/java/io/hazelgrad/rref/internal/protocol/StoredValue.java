package io.hazelgrad.rref.internal.protocol;

import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import io.hazelgrad.rref.Durability;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The last checkpoint of a durable object, and the rules by which one checkpoint replaces another.
 * The rules are pure functions; tests explore them together with {@link Registry}.
 *
 * <p>A worker that adopts an object first takes its value for the next epoch. Writes of the
 * previous owner are refused from then on, whether it died, was cut off, or froze and came back.
 * Within an epoch the owner counts its checkpoints, so that a late copy of a write does not bring
 * an older value back.
 *
 * <p>It is no record: Hazelcast reads the fields into an empty object. They change only then.
 */
public final class StoredValue implements IdentifiedDataSerializable {
  private int epoch;
  private long version;
  private Durability durability;
  private byte[] bytes;

  public StoredValue() {
    this(0, 0, Durability.ON_REQUEST, new byte[0]);
  }

  public StoredValue(int epoch, long version, Durability durability, byte[] bytes) {
    this.epoch = epoch;
    this.version = version;
    this.durability = durability;
    this.bytes = bytes;
  }

  /** Returns the number of the owner to which the value belongs, counted from 1. */
  public int epoch() {
    return epoch;
  }

  public Durability durability() {
    return durability;
  }

  /** Returns the value in the form of {@code GridContext.toBytes}. */
  public byte[] bytes() {
    return bytes;
  }

  /** Returns whether this value may replace another one, or none. */
  public boolean mayFollow(@Nullable StoredValue before) {
    return before == null
        || epoch > before.epoch
        || (epoch == before.epoch && version >= before.version);
  }

  /** Returns this value for the owner of a later epoch; this object if the epoch is not later. */
  public StoredValue takenFor(int newEpoch) {
    return newEpoch > epoch ? new StoredValue(newEpoch, 0, durability, bytes) : this;
  }

  public StoredValue withBytes(byte[] others) {
    return new StoredValue(epoch, version, durability, others);
  }

  @Override
  public int getFactoryId() {
    return TypeIds.FACTORY;
  }

  @Override
  public int getClassId() {
    return TypeIds.STORED_VALUE;
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    out.writeInt(epoch);
    out.writeLong(version);
    out.writeByte(durability.toCode());
    out.writeByteArray(bytes);
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    epoch = in.readInt();
    version = in.readLong();
    durability = Durability.fromCode(in.readByte());
    byte[] read = in.readByteArray();
    bytes = read == null ? new byte[0] : read;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof StoredValue value
        && epoch == value.epoch
        && version == value.version
        && durability == value.durability
        && Arrays.equals(bytes, value.bytes);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * epoch + Long.hashCode(version)) + Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return "epoch " + epoch + ", version " + version + ", " + bytes.length + " bytes";
  }
}
