package io.hazelgrad.grid.internal.call;

import io.hazelgrad.grid.CallScope;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.Outgoing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The implementation of {@link Rpc}: a caller, and the options of its calls. */
public record CallerRpc(Caller caller, Caller.Options options) implements Rpc {
  @Override
  public Rpc within(Duration deadline) {
    Duration within = Caller.requireNotNegative(deadline);
    return new CallerRpc(caller, new Caller.Options(within, false, options.waitWhenFull()));
  }

  @Override
  public Rpc waitingWhenFull() {
    return new CallerRpc(caller, new Caller.Options(options.timeout(), options.bounded(), true));
  }

  @Override
  public <R extends @Nullable Object> CompletableFuture<R> async(
      String to, Function<R> function, @Nullable Object... arguments) {
    return CallScope.collect(caller.call(to, function, list(arguments), options, message -> {}));
  }

  @Override
  public <R extends @Nullable Object> CompletableFuture<R> async(
      Worker to, Function<R> function, @Nullable Object... arguments) {
    return CallScope.collect(caller.call(to, function, list(arguments), options, message -> {}));
  }

  @Override
  public <R extends @Nullable Object> R sync(
      String to, Function<R> function, @Nullable Object... arguments) {
    return caller.await(
        () -> caller.call(to, function, list(arguments), options, CallerRpc::waits));
  }

  @Override
  public <R extends @Nullable Object> R sync(
      Worker to, Function<R> function, @Nullable Object... arguments) {
    return caller.await(
        () -> caller.call(to, function, list(arguments), options, CallerRpc::waits));
  }

  private static void waits(Outgoing message) {
    message.mode(Outgoing.Mode.SYNC);
  }

  private static List<@Nullable Object> list(@Nullable Object[] arguments) {
    return new ArrayList<>(Arrays.asList(arguments));
  }
}
