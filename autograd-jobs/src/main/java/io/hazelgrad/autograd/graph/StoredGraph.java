package io.hazelgrad.autograd.graph;

import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * The entry of a graph in the map. It stays, with its version, after the graph was undeployed, so
 * that no version of a name is used twice.
 */
final class StoredGraph implements IdentifiedDataSerializable {
  /** The most extents or names of an entry. */
  private static final int MAX_LENGTH = 100_000;

  private UUID deployment = new UUID(0, 0);
  private long version;
  private boolean live;
  private GraphFormat format = GraphFormat.SAMEDIFF;
  private List<GraphInput> inputs = List.of();
  private List<String> outputs = List.of();
  private int size;
  private long checksum;
  private byte[] bytes = {};

  /** For the serializer. */
  StoredGraph() {}

  /** Creates a graph without a version. */
  StoredGraph(GraphFormat format, List<GraphInput> inputs, List<String> outputs, byte[] bytes) {
    this.deployment = UUID.randomUUID();
    this.live = true;
    this.format = format;
    this.inputs = inputs;
    this.outputs = outputs;
    this.size = bytes.length;
    this.checksum = checksum(bytes);
    this.bytes = bytes;
  }

  static StoredGraph undeployed() {
    StoredGraph graph = new StoredGraph();
    graph.deployment = UUID.randomUUID();
    return graph;
  }

  StoredGraph withVersion(long version) {
    return copy(version, bytes);
  }

  StoredGraph withoutBytes() {
    return copy(version, new byte[0]);
  }

  private StoredGraph copy(long otherVersion, byte[] otherBytes) {
    StoredGraph copy = new StoredGraph();
    copy.deployment = deployment;
    copy.version = otherVersion;
    copy.live = live;
    copy.format = format;
    copy.inputs = inputs;
    copy.outputs = outputs;
    copy.size = size;
    copy.checksum = checksum;
    copy.bytes = otherBytes;
    return copy;
  }

  /** Returns the identity of one deployment, however often Hazelcast repeats it. */
  UUID deployment() {
    return deployment;
  }

  long version() {
    return version;
  }

  boolean isLive() {
    return live;
  }

  GraphInfo info(String name) {
    return new GraphInfo(name, version, inputs, outputs, size);
  }

  /** Reads the program after comparing the checksum. */
  GraphProgram program() {
    if (bytes.length != size || checksum(bytes) != checksum) {
      throw new GridException(
          Status.BAD_VALUE, "the stored bytes of the graph are damaged; deploy it again");
    }
    return format.read(bytes, inputs.stream().map(GraphInput::name).toList(), outputs);
  }

  private static long checksum(byte[] bytes) {
    CRC32C sum = new CRC32C();
    sum.update(bytes);
    return sum.getValue();
  }

  @Override
  public int getFactoryId() {
    return GraphsExtension.FACTORY_ID;
  }

  @Override
  public int getClassId() {
    return GraphsExtension.GRAPH;
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    out.writeLong(deployment.getMostSignificantBits());
    out.writeLong(deployment.getLeastSignificantBits());
    out.writeLong(version);
    out.writeBoolean(live);
    out.writeString(format.name());
    out.writeInt(inputs.size());
    for (GraphInput input : inputs) {
      out.writeString(input.name());
      out.writeString(input.dtype().name());
      out.writeInt(input.shape().size());
      for (long extent : input.shape()) {
        out.writeLong(extent);
      }
    }
    out.writeInt(outputs.size());
    for (String output : outputs) {
      out.writeString(output);
    }
    out.writeInt(size);
    out.writeLong(checksum);
    out.writeByteArray(bytes);
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    deployment = new UUID(in.readLong(), in.readLong());
    version = in.readLong();
    live = in.readBoolean();
    format = format(string(in));
    List<GraphInput> readInputs = new ArrayList<>();
    for (int i = count(in); i > 0; i--) {
      String name = string(in);
      DType dtype = dtype(string(in));
      List<Long> shape = new ArrayList<>();
      for (int k = count(in); k > 0; k--) {
        shape.add(in.readLong());
      }
      readInputs.add(new GraphInput(name, dtype, shape));
    }
    inputs = readInputs;
    List<String> readOutputs = new ArrayList<>();
    for (int i = count(in); i > 0; i--) {
      readOutputs.add(string(in));
    }
    outputs = readOutputs;
    size = in.readInt();
    checksum = in.readLong();
    bytes = Objects.requireNonNullElse(in.readByteArray(), new byte[0]);
  }

  private static int count(ObjectDataInput in) throws IOException {
    int count = in.readInt();
    if (count < 0 || count > MAX_LENGTH) {
      throw new IOException("a graph with a list of " + count);
    }
    return count;
  }

  private static String string(ObjectDataInput in) throws IOException {
    return Objects.requireNonNullElse(in.readString(), "");
  }

  private static GraphFormat format(String name) throws IOException {
    try {
      return GraphFormat.valueOf(name);
    } catch (IllegalArgumentException e) {
      throw new IOException("a graph in the format " + name, e);
    }
  }

  private static DType dtype(String name) throws IOException {
    try {
      return DType.valueOf(name);
    } catch (IllegalArgumentException e) {
      throw new IOException("a graph with an input of type " + name, e);
    }
  }
}
