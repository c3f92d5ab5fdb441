package io.hazelgrad.grid;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceAware;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import io.hazelgrad.grid.spi.CallId;
import io.hazelgrad.grid.spi.CallInfo;
import java.io.IOException;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * The request of a call, as an executor task. It carries the remaining time and never a clock's
 * reading; the callee's clock starts when it is read.
 */
final class Request implements Callable<Reply>, IdentifiedDataSerializable, HazelcastInstanceAware {
  /** What is called. */
  private enum Kind {
    OPERATOR('o'),
    METHOD('m'),
    SERVICE('s');

    final char letter;

    Kind(char letter) {
      this.letter = letter;
    }

    static Kind of(int letter) throws IOException {
      for (Kind kind : values()) {
        if (kind.letter == letter) {
          return kind;
        }
      }
      throw new IOException("call kind " + letter);
    }
  }

  private long sequence;
  private Worker caller = NOBODY;
  private Worker callee = NOBODY;
  private Kind kind = Kind.SERVICE;
  private String type = "";
  private String name = "";
  private String descriptor = "";
  private long remainingNanos;
  private byte[] headers = {};
  private byte[] values = {};
  private transient long receivedNanos;
  private transient @Nullable HazelcastInstance instance;

  private static final Worker NOBODY = new Worker("", 0, new UUID(0, 0));

  /** For the serializer. */
  Request() {}

  Request(CallInfo call, Function<?> function, long remainingNanos, byte[] headers, byte[] values) {
    this.sequence = call.id().sequence();
    this.caller = call.caller();
    this.callee = call.callee();
    if (function instanceof MethodFunction<?> m) {
      kind = Kind.METHOD;
      type = m.type;
      name = m.method;
      descriptor = m.descriptor;
    } else if (function instanceof OperatorFunction<?> o) {
      kind = Kind.OPERATOR;
      name = o.name;
    } else if (function instanceof ServiceFunction<?> s) {
      name = s.name;
    }
    this.remainingNanos = remainingNanos;
    this.headers = headers;
    this.values = values;
  }

  @Override
  public Reply call() {
    Grid grid = Grid.running(Objects.requireNonNull(instance, "set by Hazelcast"));
    if (grid == null) { // Others see a worker only after its grid is there.
      return Reply.failure(Callee.left(callee));
    }
    return grid.answer(this);
  }

  CallInfo info() {
    return new CallInfo(new CallId(caller.id(), sequence), caller, callee, function().toString());
  }

  Function<?> function() {
    return switch (kind) {
      case OPERATOR -> new OperatorFunction<>(name);
      case METHOD -> new MethodFunction<>(type, name, descriptor);
      case SERVICE -> new ServiceFunction<>(name);
    };
  }

  Worker callee() {
    return callee;
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
  public void setHazelcastInstance(HazelcastInstance hazelcast) {
    this.instance = hazelcast;
  }

  @Override
  public int getFactoryId() {
    return GridSerializers.FACTORY_ID;
  }

  @Override
  public int getClassId() {
    return GridSerializers.REQUEST;
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    out.writeLong(sequence);
    write(caller, out);
    write(callee, out);
    out.writeByte(kind.letter);
    out.writeString(type);
    out.writeString(name);
    out.writeString(descriptor);
    out.writeLong(remainingNanos);
    out.writeByteArray(headers);
    out.writeByteArray(values);
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    receivedNanos = System.nanoTime();
    sequence = in.readLong();
    caller = worker(in);
    callee = worker(in);
    kind = Kind.of(in.readByte());
    type = string(in);
    name = string(in);
    descriptor = string(in);
    remainingNanos = in.readLong();
    headers = bytes(in);
    values = bytes(in);
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

  static byte[] bytes(ObjectDataInput in) throws IOException {
    byte[] value = in.readByteArray();
    return value == null ? new byte[0] : value;
  }
}
