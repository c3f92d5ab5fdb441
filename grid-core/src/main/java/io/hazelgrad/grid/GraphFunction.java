package io.hazelgrad.grid;

import io.hazelgrad.grid.internal.serve.FunctionRegistry;
import io.hazelgrad.grid.spi.MessageKind;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A deployed graph; the version is known when the call was checked on its caller. */
public final class GraphFunction<R> extends Function<R> {
  public final String name;
  public final long version;

  public GraphFunction(String name, long version) {
    this.name = Objects.requireNonNull(name, "graph");
    this.version = version;
  }

  @Override
  public Function<R> checked(
      List<@Nullable Object> arguments, @Nullable FunctionRegistry callables) {
    return callables == null
        ? this
        : new GraphFunction<>(name, callables.graphs().check(name, arguments));
  }

  @Override
  public MessageKind kind() {
    return MessageKind.GRAPH;
  }

  @Override
  public String toString() {
    return "graph " + name;
  }
}
