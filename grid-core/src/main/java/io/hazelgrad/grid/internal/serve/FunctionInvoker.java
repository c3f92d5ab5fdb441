package io.hazelgrad.grid.internal.serve;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GraphFunction;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.MethodFunction;
import io.hazelgrad.grid.OperatorFunction;
import io.hazelgrad.grid.ServiceFunction;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.internal.wire.RemoteErrorCodec;
import io.hazelgrad.grid.spi.Causes;
import io.hazelgrad.grid.spi.Incoming;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The running of a called function, whatever kind it is of. Whatever it throws belongs to the
 * caller.
 */
public final class FunctionInvoker {
  /** What is not the grid's code. */
  private interface Body {
    @Nullable Object run() throws Throwable;
  }

  private static final Logger LOG = LoggerFactory.getLogger(FunctionInvoker.class);

  private final ServerCall call;
  private final Function<?> function;
  private final FunctionRegistry callables;

  FunctionInvoker(ServerCall call, Function<?> function, FunctionRegistry callables) {
    this.call = call;
    this.function = function;
    this.callables = callables;
  }

  /**
   * Runs the function.
   *
   * @throws GridException what it threw, or why it was not started
   */
  @Nullable Object run(List<@Nullable Object> arguments, Incoming incoming) {
    if (function instanceof ServiceFunction<?> f) {
      FunctionRegistry.Service service = callables.service(f.name);
      return guarded(() -> service.handler().handle(arguments, incoming));
    }
    if (function instanceof OperatorFunction<?> f) {
      return guarded(() -> callables.operators().apply(f.name, arguments));
    }
    if (function instanceof GraphFunction<?> f) {
      return guarded(() -> callables.graphs().apply(f.name, f.version, arguments));
    }
    FunctionRegistry.Target target = callables.method((MethodFunction<?>) function);
    if (!target.takes(arguments)) {
      List<String> types =
          arguments.stream().map(a -> a == null ? "null" : a.getClass().getTypeName()).toList();
      throw new GridException(
          Status.BAD_ARGUMENT, function + " does not take arguments of " + types);
    }
    Object[] spread = arguments.toArray();
    return guarded(() -> (Object) target.handle().invoke(spread));
  }

  private @Nullable Object guarded(Body body) {
    call.functionBegins();
    try {
      return body.run();
    } catch (Throwable e) {
      throw thrown(e);
    } finally {
      call.functionReturned();
    }
  }

  /** Makes what its caller hears of what the function threw, or the stage that it returned. */
  GridException thrown(Throwable thrown) {
    Throwable cause = Causes.of(thrown);
    if (!(cause instanceof GridException)) {
      LOG.debug("{} threw on worker {}", function, call.self().name(), cause);
    }
    return RemoteErrorCodec.thrown(cause, function.toString(), call.self());
  }
}
