package io.hazelgrad.rref.internal.durable;

import com.hazelcast.map.EntryProcessor;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.protocol.StoredValue;
import io.hazelgrad.rref.internal.registry.RRefSerializerFactory;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One step with a stored value, by the rules of {@link StoredValue}. Each may come late or twice;
 * the backup repeats it. The result is what is stored after it, without its bytes unless they were
 * asked for; null for nothing.
 */
public final class StoredValueProcessor
    implements EntryProcessor<RRefId, StoredValue, @Nullable StoredValue>,
        IdentifiedDataSerializable {
  private static final byte[] NO_BYTES = {};

  private enum Kind {
    STORE,
    TAKE,
    REMOVE
  }

  private static final Kind[] KINDS = Kind.values();

  private Kind kind;

  /** What to store; of the other steps only its epoch counts. */
  private StoredValue value;

  public StoredValueProcessor() {
    this(Kind.REMOVE, new StoredValue());
  }

  private StoredValueProcessor(Kind kind, StoredValue value) {
    this.kind = kind;
    this.value = value;
  }

  /** Stores a value, unless a newer one is there. */
  static StoredValueProcessor store(StoredValue value) {
    return new StoredValueProcessor(Kind.STORE, value);
  }

  /** Reads the value for the owner of an epoch; earlier owners cannot store from then on. */
  static StoredValueProcessor take(int epoch) {
    return new StoredValueProcessor(Kind.TAKE, ofEpoch(epoch));
  }

  /** Removes the value, unless it is one of a later owner. */
  static StoredValueProcessor remove(int epoch) {
    return new StoredValueProcessor(Kind.REMOVE, ofEpoch(epoch));
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
          case REMOVE -> before == null || before.epoch() <= value.epoch() ? null : before;
        };
    if (!Objects.equals(after, before)) {
      set(stored, after);
    }
    return kind == Kind.TAKE || after == null ? after : after.withBytes(NO_BYTES);
  }

  // Hazelcast's own way to remove an entry is to set null, which Map.Entry does not know of.
  @SuppressWarnings("NullAway")
  private static void set(Map.Entry<RRefId, StoredValue> stored, @Nullable StoredValue after) {
    stored.setValue(after);
  }

  @Override
  public int getFactoryId() {
    return RRefSerializerFactory.FACTORY_ID;
  }

  @Override
  public int getClassId() {
    return RRefSerializerFactory.VALUE_PROCESSOR;
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    out.writeByte(
        switch (kind) {
          case STORE -> 0;
          case TAKE -> 1;
          case REMOVE -> 2;
        });
    value.writeData(out);
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    int code = in.readByte();
    if (code < 0 || code >= KINDS.length) {
      throw new IOException("Unknown step with a value " + code);
    }
    kind = KINDS[code];
    value = new StoredValue();
    value.readData(in);
  }
}
