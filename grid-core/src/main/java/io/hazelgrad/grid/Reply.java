package io.hazelgrad.grid;

import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The reply of a call: a value with the interceptors' headers, or a failure. A request that got no
 * reply has a lost one, made on its own side: it never travels.
 */
final class Reply implements IdentifiedDataSerializable {
  private byte[] headers = {};
  private byte[] values = {};
  private @Nullable GridException failure;
  private transient boolean lost;

  /** For the serializer. */
  Reply() {}

  static Reply value(byte[] headers, byte[] values) {
    Reply reply = new Reply();
    reply.headers = headers;
    reply.values = values;
    return reply;
  }

  static Reply failure(GridException failure) {
    Reply reply = new Reply();
    reply.failure = failure;
    return reply;
  }

  /** Makes what stands for the reply that will not come, or says why the request did not leave. */
  static Reply lost(GridException failure) {
    Reply reply = failure(failure);
    reply.lost = true;
    return reply;
  }

  /** Returns whether there is no reply, and the failure is one of the way. */
  boolean isLost() {
    return lost;
  }

  byte[] headers() {
    return headers;
  }

  byte[] values() {
    return values;
  }

  @Nullable GridException failure() {
    return failure;
  }

  @Override
  public int getFactoryId() {
    return GridSerializers.FACTORY_ID;
  }

  @Override
  public int getClassId() {
    return GridSerializers.REPLY;
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    GridException failed = failure;
    out.writeBoolean(failed == null);
    if (failed == null) {
      out.writeByteArray(headers);
      out.writeByteArray(values);
      return;
    }
    out.writeString(failed.status().name());
    out.writeString(Objects.requireNonNullElse(failed.getMessage(), ""));
    out.writeBoolean(failed.mayHaveRun());
    RemoteError remote = failed.remote();
    out.writeBoolean(remote != null);
    if (remote != null) {
      out.writeString(remote.worker());
      out.writeString(remote.type());
      out.writeString(remote.message());
      int frames = Math.min(remote.stack().size(), RemoteErrors.MAX_FRAMES);
      out.writeInt(frames);
      for (String frame : remote.stack().subList(0, frames)) {
        out.writeString(frame);
      }
    }
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    if (in.readBoolean()) {
      headers = Request.bytes(in);
      values = Request.bytes(in);
      return;
    }
    Status status = status(Request.string(in));
    String message = Request.string(in);
    boolean mayHaveRun = in.readBoolean();
    RemoteError remote = in.readBoolean() ? readRemote(in) : null;
    failure = new GridException(status, message, mayHaveRun, remote, null);
  }

  private static Status status(String name) {
    for (Status status : Status.values()) {
      if (status.name().equals(name)) {
        return status;
      }
    }
    return Status.INTERNAL; // From a newer worker; its message says more.
  }

  private static RemoteError readRemote(ObjectDataInput in) throws IOException {
    String worker = Request.string(in);
    String type = Request.string(in);
    String message = Request.string(in);
    int frames = in.readInt();
    if (frames < 0 || frames > RemoteErrors.MAX_FRAMES) {
      throw new IOException("a stack of " + frames + " frames");
    }
    List<String> stack = new ArrayList<>(frames);
    for (int i = 0; i < frames; i++) {
      stack.add(Request.string(in));
    }
    return new RemoteError(worker, type, message, stack);
  }
}
