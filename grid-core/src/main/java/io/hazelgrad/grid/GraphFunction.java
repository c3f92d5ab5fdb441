package io.hazelgrad.grid;

import io.hazelgrad.grid.spi.MessageKind;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A deployed graph; the version is known when the call was checked on its caller. */
final class GraphFunction<R> extends Function<R> {
  final String name;
  final long version;

  GraphFunction(String name, long version) {
    this.name = Objects.requireNonNull(name, "graph");
    this.version = version;
  }

  @Override
  Function<R> checked(List<@Nullable Object> arguments, @Nullable Callables callables) {
    return callables == null
        ? this
        : new GraphFunction<>(name, callables.graphs().check(name, arguments));
  }

  @Override
  MessageKind kind() {
    return MessageKind.GRAPH;
  }

  @Override
  public String toString() {
    return "graph " + name;
  }
}
