package io.hazelgrad.grid;

import io.hazelgrad.grid.internal.serve.FunctionRegistry;
import io.hazelgrad.grid.spi.MessageKind;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An operator of the catalogue. */
public final class OperatorFunction<R> extends Function<R> {
  public final String name;

  public OperatorFunction(String name) {
    this.name = Objects.requireNonNull(name, "operator");
  }

  @Override
  void check(List<@Nullable Object> arguments, @Nullable FunctionRegistry callables) {
    if (callables != null) {
      callables.operators().check(name, arguments);
    }
  }

  @Override
  public MessageKind kind() {
    return MessageKind.OPERATOR;
  }

  @Override
  public String toString() {
    return "operator " + name;
  }
}
