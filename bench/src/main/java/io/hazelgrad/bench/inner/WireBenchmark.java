package io.hazelgrad.bench.inner;

import io.hazelgrad.grid.Codecs;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.function.AllowList;
import io.hazelgrad.grid.internal.wire.MessageCodec;
import io.hazelgrad.grid.internal.wire.ObjectCodecs;
import io.hazelgrad.grid.spi.CallId;
import io.hazelgrad.grid.spi.CallInfo;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.MessageKind;
import io.hazelgrad.grid.spi.Outgoing;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Measures writing and reading of one message, its envelope included. */
@State(Scope.Thread)
public class WireBenchmark {
  /** A record of an application. */
  @RemoteValue
  record Order(long id, String customer, List<String> items) {}

  private static final CallInfo CALL =
      new CallInfo(
          new CallId(1, 1),
          new Worker("caller", 1, new UUID(1, 2)),
          new Worker("callee", 2, new UUID(3, 4)),
          MessageKind.FUNCTION,
          "a function");

  private static final Map<String, List<@Nullable Object>> VALUES =
      Map.of(
          "numbers", List.of(1L, 2.0),
          "record", List.of(new Order(7, "alice", List.of("apple", "pear"))),
          "tensor 64", List.of(Tensor.zeros(DType.FLOAT32, 64)));

  /** The values in the message. */
  @Param({"numbers", "record", "tensor 64"})
  public String values = "";

  private final MessageCodec wire =
      new MessageCodec(
          new AllowList(Set.of(), Set.of(), WireBenchmark.class.getClassLoader()),
          new Codecs(List.of()),
          new ObjectCodecs(List.of()));

  private List<@Nullable Object> message = List.of();
  private MessageCodec.Encoded encoded = new MessageCodec.Encoded(new byte[0], new byte[0]);

  /** Writes the message that {@link #read} reads. */
  @Setup
  public void prepare() {
    message = VALUES.getOrDefault(values, List.of());
    encoded = wire.write(message, new Outgoing(CALL));
  }

  /** Writes a message. */
  @Benchmark
  public Object write() {
    return wire.write(message, new Outgoing(CALL));
  }

  /** Reads a message. */
  @Benchmark
  public Object read() {
    return wire.read(encoded.headers(), encoded.values(), new Incoming(CALL, Long.MAX_VALUE));
  }
}
