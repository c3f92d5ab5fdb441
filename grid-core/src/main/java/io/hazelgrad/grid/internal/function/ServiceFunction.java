package io.hazelgrad.grid.internal.function;

import io.hazelgrad.grid.spi.Handler;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.MessageKind;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A service of an extension, answered by its {@link Handler}. */
public record ServiceFunction<R>(String name, MessageKind kind) implements RemoteFunction<R> {
  static final char LETTER = 's';

  public ServiceFunction(String name) {
    this(name, MessageKind.service(name));
  }

  @Override
  public void write(WireOutput out) {
    out.int8(LETTER).utf(name);
  }

  @Override
  public Handler.Lane lane(FunctionRegistry registry) {
    return registry.lane(name);
  }

  @Override
  public Body body(FunctionRegistry registry, List<@Nullable Object> arguments, Incoming request) {
    Handler handler = registry.service(name).handler();
    return () -> handler.handle(arguments, request);
  }

  @Override
  public String toString() {
    return "service " + name;
  }
}
