package io.hazelgrad.grid.internal.wire;

import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteError;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.CallId;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The reply of a call: a value with the interceptors' headers, or a failure. A request that got no
 * reply has a lost one, made on its own side: it never travels.
 */
public final class Reply implements IdentifiedDataSerializable {
  private static final byte[] NOTHING = {};

  private byte[] headers = NOTHING;
  private byte[] values = NOTHING;
  private @Nullable GridException failure;
  private transient boolean lost;
  private byte[] proof = NOTHING;
  private transient boolean travelled;

  /** The call that it answers; between members only. */
  private @Nullable CallId call;

  /** For the serializer. */
  public Reply() {}

  public static Reply value(byte[] headers, byte[] values) {
    Reply reply = new Reply();
    reply.headers = headers;
    reply.values = values;
    return reply;
  }

  public static Reply failure(GridException failure) {
    Reply reply = new Reply();
    reply.failure = failure;
    return reply;
  }

  /** Makes what stands for the reply that will not come, or says why the request did not leave. */
  public static Reply lost(GridException failure) {
    Reply reply = failure(failure);
    reply.lost = true;
    return reply;
  }

  /** Returns whether there is no reply, and the failure is one of the way. */
  public boolean isLost() {
    return lost;
  }

  /** Says which call it answers, before it goes to another member. */
  public Reply to(CallId answered) {
    call = answered;
    return this;
  }

  /** Sets the proof that it comes from a process with the grid's secret. */
  public Reply proof(byte[] bytes) {
    proof = bytes;
    return this;
  }

  /** Returns its proof, empty if it has none. */
  public byte[] proof() {
    return proof;
  }

  /** Returns whether it came from another process. */
  public boolean hasTravelled() {
    return travelled;
  }

  /** Marks, at the receiver, a reply that came with a proof. */
  public Reply travelled(byte[] bytes) {
    proof = bytes;
    travelled = true;
    return this;
  }

  /** Returns whether it answers this call. */
  public boolean isTo(CallId asked) {
    return asked.equals(call);
  }

  public byte[] headers() {
    return headers;
  }

  public byte[] values() {
    return values;
  }

  public @Nullable GridException failure() {
    return failure;
  }

  @Override
  public int getFactoryId() {
    return SerializerIds.FACTORY;
  }

  @Override
  public int getClassId() {
    return SerializerIds.REPLY;
  }

  /** Returns what is to be known of a failure as bytes; nothing for a value. */
  public byte[] failureBytes() {
    GridException failed = failure;
    if (failed == null) {
      return NOTHING;
    }
    WireOutput out = new WireOutput(256);
    out.utf(failed.status().name())
        .utf(Objects.requireNonNullElse(failed.getMessage(), ""))
        .bool(failed.mayHaveRun());
    RemoteError remote = failed.remote();
    out.bool(remote != null);
    if (remote != null) {
      int frames = Math.min(remote.stack().size(), RemoteErrorCodec.MAX_FRAMES);
      out.utf(remote.worker()).utf(remote.type()).utf(remote.message()).varint(frames);
      remote.stack().subList(0, frames).forEach(out::utf);
    }
    return out.toBytes();
  }

  /**
   * Reads a reply.
   *
   * @throws GridException BAD_VALUE if the bytes are damaged
   */
  public static Reply read(byte[] failure, byte[] headers, byte[] values) {
    if (failure.length == 0) {
      return value(headers, values);
    }
    WireInput in = new WireInput(failure);
    Status known = Status.byName(in.utf());
    Status status = known == null ? Status.INTERNAL : known; // Its message says more.
    String message = in.utf();
    boolean mayHaveRun = in.bool();
    RemoteError remote = in.bool() ? readRemote(in) : null;
    return failure(new GridException(status, message, mayHaveRun, remote, null));
  }

  private static RemoteError readRemote(WireInput in) {
    String worker = in.utf();
    String type = in.utf();
    String message = in.utf();
    long frames = in.varint();
    if (frames < 0 || frames > RemoteErrorCodec.MAX_FRAMES) {
      throw in.damaged("a stack of " + frames + " frames");
    }
    List<String> stack = new ArrayList<>((int) frames);
    for (int i = 0; i < frames; i++) {
      stack.add(in.utf());
    }
    return new RemoteError(worker, type, message, stack);
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    out.writeByteArray(failureBytes());
    out.writeByteArray(headers);
    out.writeByteArray(values);
    CallId answered = Objects.requireNonNull(call, "of no call");
    out.writeLong(answered.caller());
    out.writeLong(answered.sequence());
    out.writeByteArray(proof);
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    Reply read;
    try {
      read = read(Request.bytes(in), Request.bytes(in), Request.bytes(in));
    } catch (GridException e) {
      throw new IOException(e);
    }
    headers = read.headers;
    values = read.values;
    failure = read.failure;
    call = new CallId(in.readLong(), in.readLong());
    proof = Request.bytes(in);
    travelled = true;
  }
}
