package io.hazelgrad.autograd.internal.jobs;

import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The rows of one step of a training on a stream, on their way from the sequencer to a trainer. */
final class DealtRows implements IdentifiedDataSerializable {
  private long step;
  private List<Object> rows = List.of();

  /** Creates an empty one, for {@link #readData}. */
  DealtRows() {}

  DealtRows(long step, List<Object> rows) {
    this.step = step;
    this.rows = List.copyOf(rows);
  }

  long step() {
    return step;
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
    return TrainingSerializerFactory.DEALT_ROWS;
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    out.writeLong(step);
    write(out, rows);
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    step = in.readLong();
    rows = read(in);
  }

  static void write(ObjectDataOutput out, List<Object> rows) throws IOException {
    out.writeInt(rows.size());
    for (Object row : rows) {
      out.writeObject(row);
    }
  }

  static List<Object> read(ObjectDataInput in) throws IOException {
    List<Object> read = new ArrayList<>();
    for (int i = in.readInt(); i > 0; i--) {
      read.add(in.readObject());
    }
    return read;
  }
}
