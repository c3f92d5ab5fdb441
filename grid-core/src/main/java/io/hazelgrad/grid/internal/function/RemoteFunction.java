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
    permits OperatorFunction, MethodFunction, GraphFunction, ServiceFunction {
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

  /**
   * Checks what the caller can check, and returns the function to send.
   *
   * @param registry the functions of the caller; null on a client
   */
  default RemoteFunction<R> checked(
      List<@Nullable Object> arguments, @Nullable FunctionRegistry registry) {
    return this;
  }

  /** Writes the name. */
  void write(WireOutput out);

  /** Reads the name that {@link #write} wrote. */
  static RemoteFunction<?> read(WireInput in) {
    byte letter = in.int8();
    return switch (letter) {
      case MethodFunction.LETTER -> new MethodFunction<>(in.utf(), in.utf(), in.utf());
      case OperatorFunction.LETTER -> new OperatorFunction<>(in.utf());
      case GraphFunction.LETTER -> new GraphFunction<>(in.utf(), in.int64());
      case ServiceFunction.LETTER -> new ServiceFunction<>(in.utf());
      default -> throw in.damaged("a call of kind " + letter);
    };
  }

  /** Returns the threads that run it on its callee. */
  default Handler.Lane lane(FunctionRegistry registry) {
    return Handler.Lane.USER;
  }

  /**
   * Returns the function with its arguments, ready to run on its callee.
   *
   * @throws GridException if it cannot run with them
   */
  Body body(FunctionRegistry registry, List<@Nullable Object> arguments, Incoming request);

  /** Returns the same function, if possible an instance whose text is known already. */
  default RemoteFunction<?> known(FunctionRegistry registry) {
    return this;
  }
}
