package io.hazelgrad.grid.internal.function;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.Handler;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.MessageKind;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The implementation of {@link Function}: one subclass for each kind of function. Everything that
 * depends on the kind is a method here.
 */
public sealed interface RemoteFunction<R> extends Function<R>
    permits MethodFunction,
        RemoteFunction.OperatorFunction,
        RemoteFunction.GraphFunction,
        RemoteFunction.ServiceFunction {
  /** The call of a function with its arguments, ready to run. */
  interface Body {
    /** Runs the function and returns its result, or a stage for it. */
    @Nullable Object run() throws Throwable;

    /** Runs it so that the stack trace that its caller sees of what it throws ends here. */
    default @Nullable Object invoke() throws Throwable {
      return run();
    }
  }

  /** Returns the implementation of a function. */
  static <R> RemoteFunction<R> of(Function<R> function) {
    if (function instanceof RemoteFunction<R> known) {
      return known;
    }
    throw new GridException(
        Status.BAD_ARGUMENT,
        "make functions with the methods of Function; this is a " + function.getClass().getName());
  }

  /** Returns the kind of the messages that call it. */
  MessageKind kind();

  /** Checks what the caller can, and returns the function to send; a client has no graphs. */
  default RemoteFunction<R> checked(
      List<@Nullable Object> arguments, FunctionRegistry registry, boolean isClient) {
    return this;
  }

  /** Writes the name. */
  void write(WireOutput out);

  /** Reads the name that {@link #write} wrote. */
  static RemoteFunction<?> read(WireInput in) {
    byte letter = in.int8();
    return switch (letter) {
      case 'm' -> new MethodFunction<>(in.utf(), in.utf(), in.utf());
      case 'o' -> new OperatorFunction<>(in.utf());
      case 'g' -> new GraphFunction<>(in.utf(), in.int64());
      case 's' -> new ServiceFunction<>(in.utf());
      default -> throw in.damaged("a call of kind " + letter);
    };
  }

  /** Returns the threads that run it on its callee. */
  default Handler.Lane lane(FunctionRegistry registry) {
    return Handler.Lane.USER;
  }

  /** Returns the function with its arguments, ready to run; throws if it cannot run with them. */
  Body body(FunctionRegistry registry, List<@Nullable Object> arguments, Incoming request);

  /** Returns the same function, if possible an instance whose text is known already. */
  default RemoteFunction<?> known(FunctionRegistry registry) {
    return this;
  }

  /** An operator of the catalogue. */
  record OperatorFunction<R>(String name) implements RemoteFunction<R> {
    @Override
    public RemoteFunction<R> checked(
        List<@Nullable Object> arguments, FunctionRegistry registry, boolean isClient) {
      registry.operators(name).check(name, arguments);
      return this;
    }

    @Override
    public MessageKind kind() {
      return MessageKind.OPERATOR;
    }

    @Override
    public void write(WireOutput out) {
      out.int8('o').utf(name);
    }

    @Override
    public Body body(
        FunctionRegistry registry, List<@Nullable Object> arguments, Incoming request) {
      return () -> registry.operators(name).apply(name, arguments);
    }

    @Override
    public String toString() {
      return "operator " + name;
    }
  }

  /** A deployed graph. Its version is 0 until the caller has checked the call. */
  record GraphFunction<R>(String name, long version) implements RemoteFunction<R> {
    @Override
    public RemoteFunction<R> checked(
        List<@Nullable Object> arguments, FunctionRegistry registry, boolean isClient) {
      return isClient ? this : new GraphFunction<>(name, registry.graphs().check(name, arguments));
    }

    @Override
    public MessageKind kind() {
      return MessageKind.GRAPH;
    }

    @Override
    public void write(WireOutput out) {
      out.int8('g').utf(name).int64(version);
    }

    @Override
    public Body body(
        FunctionRegistry registry, List<@Nullable Object> arguments, Incoming request) {
      return () -> registry.graphs().apply(name, version, arguments);
    }

    @Override
    public String toString() {
      return "graph " + name;
    }
  }

  /** A service of an extension, answered by its {@link Handler}. */
  record ServiceFunction<R>(String name, MessageKind kind) implements RemoteFunction<R> {
    public ServiceFunction(String name) {
      this(name, MessageKind.service(name));
    }

    @Override
    public void write(WireOutput out) {
      out.int8('s').utf(name);
    }

    @Override
    public Handler.Lane lane(FunctionRegistry registry) {
      return registry.lane(name);
    }

    @Override
    public Body body(
        FunctionRegistry registry, List<@Nullable Object> arguments, Incoming request) {
      Handler handler = registry.service(name).handler();
      return () -> handler.handle(arguments, request);
    }

    @Override
    public String toString() {
      return "service " + name;
    }
  }
}
