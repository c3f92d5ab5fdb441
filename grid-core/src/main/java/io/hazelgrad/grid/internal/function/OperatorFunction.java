package io.hazelgrad.grid.internal.function;

import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.MessageKind;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An operator of the catalogue. */
public record OperatorFunction<R>(String name) implements RemoteFunction<R> {
  static final char LETTER = 'o';

  @Override
  public RemoteFunction<R> checked(
      List<@Nullable Object> arguments, @Nullable FunctionRegistry registry) {
    if (registry != null) {
      registry.operators(name).check(name, arguments);
    }
    return this;
  }

  @Override
  public MessageKind kind() {
    return MessageKind.OPERATOR;
  }

  @Override
  public void write(WireOutput out) {
    out.int8(LETTER).utf(name);
  }

  @Override
  public Body body(FunctionRegistry registry, List<@Nullable Object> arguments, Incoming request) {
    return () -> registry.operators(name).apply(name, arguments);
  }

  @Override
  public String toString() {
    return "operator " + name;
  }
}
