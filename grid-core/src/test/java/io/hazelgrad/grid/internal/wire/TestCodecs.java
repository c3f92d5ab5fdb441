package io.hazelgrad.grid.internal.wire;

import com.hazelcast.nio.serialization.compact.CompactSerializer;
import io.hazelgrad.grid.Codecs;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.function.AllowList;
import io.hazelgrad.grid.spi.CallId;
import io.hazelgrad.grid.spi.CallInfo;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.MessageKind;
import io.hazelgrad.grid.spi.Outgoing;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Codecs for tests without a grid, and messages for them. */
public final class TestCodecs {
  static final Worker ALICE = new Worker("alice", 1, new UUID(1, 2));
  static final CallInfo CALL =
      new CallInfo(
          new CallId(1, 1),
          ALICE,
          new Worker("bob", 2, new UUID(3, 4)),
          MessageKind.FUNCTION,
          "a function");

  private TestCodecs() {}

  public static AllowList allowing(Class<?>... values) {
    Set<String> names = Stream.of(values).map(Class::getName).collect(Collectors.toSet());
    return new AllowList(Set.of(), names, TestCodecs.class.getClassLoader());
  }

  /** Makes a codec that allows annotated classes and these. */
  public static ValueCodec codec(Class<?>... values) {
    return codec(new Codecs(List.of()), values);
  }

  public static ValueCodec codec(Codecs codecs, Class<?>... values) {
    return new ValueCodec(allowing(values), List.of(), codecs, new ObjectCodecs(List.of()));
  }

  public static ValueCodec compact(CompactSerializer<?>... serializers) {
    return new ValueCodec(
        allowing(), List.of(), new Codecs(List.of()), new ObjectCodecs(List.of(serializers)));
  }

  public static Outgoing request() {
    return new Outgoing(CALL);
  }

  static Incoming arriving() {
    return new Incoming(CALL, Long.MAX_VALUE);
  }

  public static byte[] encode(ValueCodec codec, Object value) {
    return codec.encode(Collections.singletonList(value), request());
  }

  public static Object decode(ValueCodec codec, byte[] bytes) {
    return codec.decode(bytes, arriving()).get(0);
  }

  @SuppressWarnings("unchecked") // Tests know what they sent.
  public static <T> T roundTrip(ValueCodec codec, T value) {
    return (T) decode(codec, encode(codec, value));
  }
}
