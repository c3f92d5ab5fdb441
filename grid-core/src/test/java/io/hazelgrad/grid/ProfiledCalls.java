package io.hazelgrad.grid;

import io.hazelgrad.grid.profile.Profiler;
import io.hazelgrad.grid.spi.Trace;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Functions that the tests of the profiler call. */
@RemoteFunctions
final class ProfiledCalls {
  private ProfiledCalls() {}

  static double add(double a, double b) {
    return a + b;
  }

  static boolean isRecorded() {
    return Trace.recorder() != null;
  }

  /** Calls another worker, and waits. */
  static double addOn(String to, double a, double b) {
    return Grid.current().rpc().sync(to, ProfiledCalls::add, a, b);
  }

  /** Calls another worker; the thread is released. */
  static CompletionStage<Double> addLater(String to, double a, double b) {
    return Grid.current().rpc().async(to, ProfiledCalls::add, a, b);
  }

  static int scoped(int times) {
    Trace.Span scope = Profiler.scope("outer scope");
    for (int i = 0; i < times; i++) {
      Trace.Span operation = Trace.operation("step", List.of(Tensor.of(new double[6], 2, 3)));
      operation.close();
    }
    scope.close();
    scope.close(); // Closing twice does nothing.
    return times;
  }

  static int allocating(int bytes) {
    return new byte[bytes].length;
  }

  static Tensor same(Tensor tensor, String unused) {
    return tensor;
  }

  static double failing() {
    throw new IllegalStateException("no result today");
  }

  static CompletableFuture<String> neverEnding(String signal) {
    return Calls.later(signal);
  }
}
