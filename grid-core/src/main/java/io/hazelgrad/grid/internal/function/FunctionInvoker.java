package io.hazelgrad.grid.internal.function;

import io.hazelgrad.grid.spi.Handler;
import io.hazelgrad.grid.spi.Incoming;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs called functions. The stack trace that a caller sees of what a function threw ends where it
 * reaches this class, so nothing else belongs here.
 */
public final class FunctionInvoker {
  private FunctionInvoker() {}

  static RemoteFunction.Body method(
      FunctionRegistry.Target target, List<@Nullable Object> arguments) {
    Object[] spread = arguments.toArray();
    return () -> (Object) target.handle().invoke(spread);
  }

  static RemoteFunction.Body operator(
      FunctionRegistry registry, String name, List<@Nullable Object> arguments) {
    return () -> registry.operators(name).apply(name, arguments);
  }

  static RemoteFunction.Body graph(
      FunctionRegistry registry, String name, long version, List<@Nullable Object> arguments) {
    return () -> registry.graphs().apply(name, version, arguments);
  }

  static RemoteFunction.Body service(
      Handler handler, List<@Nullable Object> arguments, Incoming request) {
    return () -> handler.handle(arguments, request);
  }
}
