package io.hazelgrad.grid.internal.member;

import com.hazelcast.nio.serialization.compact.CompactReader;
import com.hazelcast.nio.serialization.compact.CompactSerializer;
import com.hazelcast.nio.serialization.compact.CompactWriter;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import java.util.UUID;

/** Writes the directory's values in Hazelcast's Compact form, which SQL can read. */
public final class WorkerSerializer implements CompactSerializer<Worker> {
  static final String TYPE_NAME = "hazelgrad.worker";

  @Override
  public Worker read(CompactReader reader) {
    String name = reader.readString("name");
    String incarnation = reader.readString("incarnation");
    if (name == null || incarnation == null) {
      throw new GridException(Status.BAD_VALUE, "a worker without name or incarnation");
    }
    return new Worker(name, reader.readInt64("id"), UUID.fromString(incarnation));
  }

  @Override
  public void write(CompactWriter writer, Worker worker) {
    writer.writeString("name", worker.name());
    writer.writeInt64("id", worker.id());
    writer.writeString("incarnation", worker.incarnation().toString());
  }

  @Override
  public String getTypeName() {
    return TYPE_NAME;
  }

  @Override
  public Class<Worker> getCompactClass() {
    return Worker.class;
  }
}
