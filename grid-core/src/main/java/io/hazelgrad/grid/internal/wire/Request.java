package io.hazelgrad.grid.internal.wire;

import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.function.RemoteFunction;
import io.hazelgrad.grid.spi.CallId;
import io.hazelgrad.grid.spi.MessageKind;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * The request of a call. It carries the remaining time and never a clock's reading; the callee's
 * clock starts when it is read.
 */
public final class Request {
  private static final byte[] NO_PROOF = {};

  /** The kinds of sending, by how often a request may come. */
  public enum Sending {
    /** It comes once; what carries it sends nothing again that may have arrived. */
    ONCE(0),
    /** It may come again, so its reply is kept for a while. */
    FIRST(1),
    /** It may have come before. */
    AGAIN(2);

    private final int code;

    Sending(int code) {
      this.code = code;
    }

    static Sending of(WireInput in) {
      byte code = in.int8();
      return switch (code) {
        case 0 -> ONCE;
        case 1 -> FIRST;
        case 2 -> AGAIN;
        default -> throw in.damaged("a way of sending " + code);
      };
    }
  }

  private final CallId id;
  private final Worker caller;
  private final Worker callee;
  private final RemoteFunction<?> function;
  private final long remainingNanos;
  private final long receivedNanos = System.nanoTime();
  private final byte[] headers;
  private final byte[] values;
  private Sending sending = Sending.ONCE;
  private boolean isCreation;
  private byte[] proof = NO_PROOF;
  private boolean travelled;

  /** Makes a request; no deadline is {@link Long#MAX_VALUE}. */
  public Request(
      CallId id,
      Worker caller,
      Worker callee,
      Function<?> function,
      long remainingNanos,
      byte[] headers,
      byte[] values) {
    this.id = id;
    this.caller = caller;
    this.callee = callee;
    this.function = RemoteFunction.of(function);
    this.remainingNanos = remainingNanos;
    this.headers = headers;
    this.values = values;
  }

  /** Returns the same request with the time that is left now. */
  public Request again(Sending how) {
    Request copy = new Request(id, caller, callee, function, leftNanos(), headers, values);
    copy.isCreation = isCreation;
    copy.sending = how;
    copy.proof = proof;
    return copy;
  }

  public Sending sending() {
    return sending;
  }

  public CallId id() {
    return id;
  }

  public Worker caller() {
    return caller;
  }

  public Worker callee() {
    return callee;
  }

  public RemoteFunction<?> function() {
    return function;
  }

  /** Returns what it is for. */
  public MessageKind kind() {
    return isCreation ? function.kind().creation() : function.kind();
  }

  /** Marks, at the sender only, a call whose result stays with the callee. */
  public Request creation(boolean stays) {
    isCreation = stays;
    return this;
  }

  /** Sets the proof that it comes from a process with the grid's secret. */
  public Request proof(byte[] bytes) {
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

  public byte[] headers() {
    return headers;
  }

  public byte[] values() {
    return values;
  }

  /** Returns the deadline in this JVM's {@link System#nanoTime()} terms, MAX_VALUE for none. */
  public long deadlineNanos() {
    return remainingNanos == Long.MAX_VALUE ? Long.MAX_VALUE : receivedNanos + remainingNanos;
  }

  /** Returns the nanoseconds until the deadline, MAX_VALUE for none. */
  public long leftNanos() {
    long deadline = deadlineNanos();
    return deadline == Long.MAX_VALUE ? deadline : deadline - System.nanoTime();
  }

  @Override
  public String toString() {
    return "request " + id + " for " + function + " on worker " + callee.name();
  }

  /**
   * Returns the reply if it answers this request, and a failure otherwise. Hazelcast sends an
   * answer to an address and knows it again by a number that each member counts from 1. So an
   * answer for the last member at an address may come to the next one.
   */
  public Reply checked(@Nullable Object answer) {
    if (answer instanceof Reply reply && reply.isTo(id)) {
      return reply;
    }
    String message =
        ("in place of the answer to %s came one that was meant for the last member at this"
                + " address; the call may have run")
            .formatted(function);
    return Reply.failure(new GridException(Status.INTERNAL, message, true, null, null));
  }

  /** Returns all but headers and values as bytes. */
  public byte[] envelope() {
    WireOutput out = new WireOutput(128);
    writeHead(out);
    return out.int64(remainingNanos).int8(sending.code).bytes(proof).toBytes();
  }

  /** Returns the part of the envelope that is the same each time it is sent. */
  public byte[] head() {
    WireOutput out = new WireOutput(128);
    writeHead(out);
    return out.toBytes();
  }

  private void writeHead(WireOutput out) {
    out.int64(id.sequence());
    write(caller, out);
    write(callee, out);
    function.write(out);
  }

  /** Reads a request; throws BAD_VALUE if the bytes are damaged. */
  public static Request read(byte[] envelope, byte[] headers, byte[] values) {
    WireInput in = new WireInput(envelope);
    long sequence = in.int64();
    Worker caller = worker(in);
    Worker callee = worker(in);
    CallId id = new CallId(caller.id(), sequence);
    Request request =
        new Request(id, caller, callee, RemoteFunction.read(in), in.int64(), headers, values);
    request.sending = Sending.of(in);
    request.proof = in.bytes();
    request.travelled = true;
    return request;
  }

  private static void write(Worker worker, WireOutput out) {
    out.utf(worker.name()).int64(worker.id()).uuid(worker.incarnation());
  }

  private static Worker worker(WireInput in) {
    return new Worker(in.utf(), in.int64(), in.uuid());
  }

  public void write(ObjectDataOutput out) throws IOException {
    out.writeByteArray(envelope());
    out.writeByteArray(headers);
    out.writeByteArray(values);
  }

  public static Request read(ObjectDataInput in) throws IOException {
    try {
      return read(bytes(in), bytes(in), bytes(in));
    } catch (GridException e) {
      throw new IOException(e);
    }
  }

  /** Reads an array. Hazelcast's own way would make room for whatever length is claimed. */
  public static byte[] bytes(ObjectDataInput in) throws IOException {
    int length = in.readInt();
    if (length < -1 || (in instanceof InputStream bytes && length > bytes.available())) {
      throw new EOFException("an array of " + length + " bytes is not there");
    }
    byte[] value = new byte[Math.max(0, length)];
    in.readFully(value);
    return value;
  }
}
