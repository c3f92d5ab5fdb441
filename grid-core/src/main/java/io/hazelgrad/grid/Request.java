package io.hazelgrad.grid;

import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import io.hazelgrad.grid.spi.CallId;
import io.hazelgrad.grid.spi.MessageKind;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.UUID;

/**
 * The request of a call. It carries the remaining time and never a clock's reading; the callee's
 * clock starts when it is read.
 */
final class Request {
  private static final char OPERATOR = 'o';
  private static final char METHOD = 'm';
  private static final char GRAPH = 'g';
  private static final char SERVICE = 's';

  private final CallId id;
  private final Worker caller;
  private final Worker callee;
  private final Function<?> function;
  private final long remainingNanos;
  private boolean isCreation;
  private final long receivedNanos = System.nanoTime();
  private final byte[] headers;
  private final byte[] values;

  /** Makes a request; no deadline is {@link Long#MAX_VALUE}. */
  Request(
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
    this.function = function;
    this.remainingNanos = remainingNanos;
    this.headers = headers;
    this.values = values;
  }

  CallId id() {
    return id;
  }

  Worker caller() {
    return caller;
  }

  Worker callee() {
    return callee;
  }

  Function<?> function() {
    return function;
  }

  /** Returns what it is for. */
  MessageKind kind() {
    return isCreation ? function.kind().creation() : function.kind();
  }

  /** Marks, at the sender only, a call whose result stays with the callee. */
  Request creation(boolean stays) {
    isCreation = stays;
    return this;
  }

  byte[] headers() {
    return headers;
  }

  byte[] values() {
    return values;
  }

  /** Returns the deadline in this JVM's {@link System#nanoTime()} terms, MAX_VALUE for none. */
  long deadlineNanos() {
    return remainingNanos == Long.MAX_VALUE ? Long.MAX_VALUE : receivedNanos + remainingNanos;
  }

  @Override
  public String toString() {
    return "request " + id + " for " + function + " on worker " + callee.name();
  }

  void write(ObjectDataOutput out) throws IOException {
    out.writeLong(id.sequence());
    write(caller, out);
    write(callee, out);
    if (function instanceof MethodFunction<?> f) {
      out.writeByte(METHOD);
      out.writeString(f.type);
      out.writeString(f.method);
      out.writeString(f.descriptor);
    } else if (function instanceof OperatorFunction<?> f) {
      out.writeByte(OPERATOR);
      out.writeString(f.name);
    } else if (function instanceof GraphFunction<?> f) {
      out.writeByte(GRAPH);
      out.writeString(f.name);
      out.writeLong(f.version);
    } else if (function instanceof ServiceFunction<?> f) {
      out.writeByte(SERVICE);
      out.writeString(f.name);
    }
    out.writeLong(remainingNanos);
    out.writeByteArray(headers);
    out.writeByteArray(values);
  }

  static Request read(ObjectDataInput in) throws IOException {
    long sequence = in.readLong();
    Worker caller = worker(in);
    return new Request(
        new CallId(caller.id(), sequence),
        caller,
        worker(in),
        function(in),
        in.readLong(),
        bytes(in),
        bytes(in));
  }

  private static Function<?> function(ObjectDataInput in) throws IOException {
    byte letter = in.readByte();
    return switch (letter) {
      case METHOD -> new MethodFunction<>(string(in), string(in), string(in));
      case OPERATOR -> new OperatorFunction<>(string(in));
      case GRAPH -> new GraphFunction<>(string(in), in.readLong());
      case SERVICE -> new ServiceFunction<>(string(in));
      default -> throw new IOException("a call of kind " + letter);
    };
  }

  private static void write(Worker worker, ObjectDataOutput out) throws IOException {
    out.writeString(worker.name());
    out.writeLong(worker.id());
    out.writeLong(worker.incarnation().getMostSignificantBits());
    out.writeLong(worker.incarnation().getLeastSignificantBits());
  }

  private static Worker worker(ObjectDataInput in) throws IOException {
    return new Worker(string(in), in.readLong(), new UUID(in.readLong(), in.readLong()));
  }

  static String string(ObjectDataInput in) throws IOException {
    String value = in.readString();
    return value == null ? "" : value;
  }

  /** Reads an array. Hazelcast's own way would make room for whatever length is claimed. */
  static byte[] bytes(ObjectDataInput in) throws IOException {
    int length = in.readInt();
    if (length < -1 || (in instanceof InputStream bytes && length > bytes.available())) {
      throw new EOFException("an array of " + length + " bytes is not there");
    }
    byte[] value = new byte[Math.max(0, length)];
    in.readFully(value);
    return value;
  }
}
