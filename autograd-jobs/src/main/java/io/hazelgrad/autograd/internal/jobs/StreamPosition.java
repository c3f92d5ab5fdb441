package io.hazelgrad.autograd.internal.jobs;

import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import java.io.IOException;
import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The place in a stream at which a training goes on: the entries that the source has saved, and the
 * rows that it had sent before and that are in no step yet. Hazelcast serializes all of it, as the
 * source expects.
 */
final class StreamPosition implements IdentifiedDataSerializable {
  private List<Map.Entry<Object, Object>> saved = List.of();
  private List<Object> rows = List.of();
  private boolean isEnd;

  /** Creates an empty one, for {@link #readData}. */
  StreamPosition() {}

  StreamPosition(List<Map.Entry<Object, Object>> saved, List<Object> rows) {
    this.saved = List.copyOf(saved);
    this.rows = List.copyOf(rows);
  }

  /** Returns the place after which the training needs no more rows. */
  static StreamPosition end() {
    StreamPosition end = new StreamPosition();
    end.isEnd = true;
    return end;
  }

  boolean isEnd() {
    return isEnd;
  }

  List<Map.Entry<Object, Object>> saved() {
    return saved;
  }

  List<Object> rows() {
    return rows;
  }

  @Override
  public int getFactoryId() {
    return TrainingSerializerFactory.FACTORY_ID;
  }

  @Override
  public int getClassId() {
    return TrainingSerializerFactory.STREAM_POSITION;
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    out.writeInt(saved.size());
    for (Map.Entry<Object, Object> entry : saved) {
      out.writeObject(entry.getKey());
      out.writeObject(entry.getValue());
    }
    DealtRows.write(out, rows);
    out.writeBoolean(isEnd);
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    List<Map.Entry<Object, Object>> read = new ArrayList<>();
    for (int i = in.readInt(); i > 0; i--) {
      Object key = Objects.requireNonNull(in.readObject());
      Object value = Objects.requireNonNull(in.readObject());
      read.add(new SimpleImmutableEntry<>(key, value));
    }
    saved = read;
    rows = DealtRows.read(in);
    isEnd = in.readBoolean();
  }
}
