package io.hazelgrad.rref.internal.durable;

import com.hazelcast.map.EntryProcessor;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.protocol.StoredValue;
import io.hazelgrad.rref.internal.protocol.TypeIds;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One step with a stored value, by the rules of {@link StoredValue}. A step may come late or twice,
 * and the backup repeats it. The result is the value that is stored afterwards, or null. Only the
 * result of a take has its bytes.
 */
public final class StoredValueProcessor
    implements EntryProcessor<RRefId, StoredValue, @Nullable StoredValue>,
        IdentifiedDataSerializable {
  private static final byte[] NO_BYTES = {};
  private static final int STORE = 0;
  private static final int TAKE = 1;
  private static final int REMOVE = 2;

  private int kind;

  /** The value to store; the other steps use its epoch only. */
  private StoredValue value;

  /** For the serializer. */
  public StoredValueProcessor() {
    this(REMOVE, new StoredValue());
  }

  private StoredValueProcessor(int kind, StoredValue value) {
    this.kind = kind;
    this.value = value;
  }

  static StoredValueProcessor store(StoredValue value) {
    return new StoredValueProcessor(STORE, value);
  }

  static StoredValueProcessor take(int epoch) {
    return new StoredValueProcessor(TAKE, ofEpoch(epoch));
  }

  static StoredValueProcessor remove(int epoch) {
    return new StoredValueProcessor(REMOVE, ofEpoch(epoch));
  }

  private static StoredValue ofEpoch(int epoch) {
    return new StoredValue(epoch, 0, Durability.ON_REQUEST, NO_BYTES);
  }

  @Override
  public @Nullable StoredValue process(Map.Entry<RRefId, StoredValue> stored) {
    @Nullable StoredValue before = stored.getValue();
    @Nullable StoredValue after =
        switch (kind) {
          case STORE -> value.mayFollow(before) ? value : before;
          case TAKE -> before == null ? null : before.takenFor(value.epoch());
          default -> before == null || before.epoch() <= value.epoch() ? null : before;
        };
    if (!Objects.equals(after, before)) {
      set(stored, after);
    }
    return kind == TAKE || after == null ? after : after.withBytes(NO_BYTES);
  }

  // Setting null removes the entry in Hazelcast; the type of Map.Entry does not say so.
  @SuppressWarnings("NullAway")
  private static void set(Map.Entry<RRefId, StoredValue> stored, @Nullable StoredValue after) {
    stored.setValue(after);
  }

  @Override
  public int getFactoryId() {
    return TypeIds.FACTORY;
  }

  @Override
  public int getClassId() {
    return TypeIds.VALUE_PROCESSOR;
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    out.writeByte(kind);
    value.writeData(out);
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    kind = in.readByte();
    if (kind < STORE || kind > REMOVE) {
      throw new IOException("Unknown step with a stored value: " + kind);
    }
    value = new StoredValue();
    value.readData(in);
  }
}
