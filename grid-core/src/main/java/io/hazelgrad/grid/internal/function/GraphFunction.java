package io.hazelgrad.grid.internal.function;

import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.MessageKind;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A deployed graph. Its version is 0 until the caller has checked the call. */
public record GraphFunction<R>(String name, long version) implements RemoteFunction<R> {
  static final char LETTER = 'g';

  @Override
  public RemoteFunction<R> checked(
      List<@Nullable Object> arguments, @Nullable FunctionRegistry registry) {
    return registry == null
        ? this
        : new GraphFunction<>(name, registry.graphs().check(name, arguments));
  }

  @Override
  public MessageKind kind() {
    return MessageKind.GRAPH;
  }

  @Override
  public void write(WireOutput out) {
    out.int8(LETTER).utf(name).int64(version);
  }

  @Override
  public Body body(FunctionRegistry registry, List<@Nullable Object> arguments, Incoming request) {
    return () -> registry.graphs().apply(name, version, arguments);
  }

  @Override
  public String toString() {
    return "graph " + name;
  }
}
