package io.hazelgrad.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.tests.PeerTest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests of functions that return a stage. */
@RemoteFunctions
class AsyncFunctionSuite extends PeerSuite {
  private static final Function<Integer> PLUS = Function.async(AsyncFunctionSuite::plusOn);
  private static final Function<Integer> NESTED = Function.async(AsyncFunctionSuite::nested);
  private static final Function<Integer> BY_HAND = Function.async(AsyncFunctionSuite::byHand);
  private static final Function<Integer> CHAINED = Function.async(AsyncFunctionSuite::chained);
  private static final Function<Integer> FANNED_OUT = Function.async(AsyncFunctionSuite::fannedOut);

  /** Calls a third worker. */
  static CompletionStage<Integer> plusOn(String to, int a, int b) {
    return rpc().async(to, FutureSuite::plus, a, b);
  }

  @SuppressWarnings("DoNotCallSuggester") // A remote function.
  static CompletionStage<Integer> raise(String message) {
    throw new IllegalStateException(message);
  }

  static Future<Integer> noStage() {
    return FutureSuite.future();
  }

  @SuppressWarnings(
      "FutureReturnValueIgnored") // The end of the created future is the end of the function.
  static CompletionStage<Integer> byHand(String to, int a, int b) {
    CompletableFuture<Integer> made = new CompletableFuture<>();
    rpc().async(to, FutureSuite::plus, a, a).thenAccept(value -> made.complete(value + b));
    return made;
  }

  static CompletionStage<Integer> nested(String to, int a, int b) {
    return rpc().async(to, PLUS, to, a, b);
  }

  static CompletionStage<Integer> chained(String to, int a, int times) {
    CompletionStage<Integer> stage = rpc().async(to, FutureSuite::plus, a, 0);
    for (int i = 0; i < times; i++) {
      stage = stage.thenApply(value -> value + 1);
    }
    return stage;
  }

  /** Makes calls in parallel; the last one to end completes the stage. */
  static CompletionStage<Integer> fannedOut(String to, int a, int calls) {
    CompletableFuture<Integer> made = new CompletableFuture<>();
    AtomicInteger left = new AtomicInteger(calls);
    AtomicInteger sum = new AtomicInteger();
    for (int i = 0; i < calls; i++) {
      var unused =
          rpc()
              .async(to, FutureSuite::plus, a, i)
              .thenAccept(
                  value -> {
                    sum.addAndGet(value);
                    if (left.decrementAndGet() == 0) {
                      made.complete(sum.get());
                    }
                  });
    }
    return made;
  }

  private static void syncAndAsync(Function<Integer> function, int expected, Object... arguments) {
    assertThat(rpc().sync(dst(), function, arguments)).isEqualTo(expected);
    assertThat(rpc().async(dst(), function, arguments).join()).isEqualTo(expected);
  }

  private static void remote(Function<Integer> function, int expected, Object... arguments) {
    try (RRef<Integer> rref = rrefs().remote(dst(), function, arguments)) {
      assertThat(rref.toHere()).isEqualTo(expected);
    }
  }

  @Test
  @PeerTest("test_async_function_simple")
  void asyncFunctionReturnsResultOfThirdWorker() {
    syncAndAsync(PLUS, 3, dst(2), 1, 2);
  }

  @Test
  @PeerTest("test_async_function_raise")
  void syncCallFailsWhenAsyncFunctionThrows() {
    Function<Integer> raise = Function.async(AsyncFunctionSuite::raise);
    fails(Status.USER_ERROR, "expected error", () -> rpc().sync(dst(), raise, "expected error"));
  }

  @Test
  @PeerTest("test_async_function_raise_async")
  void asyncCallFailsWhenAsyncFunctionThrows() {
    Function<Integer> raise = Function.async(AsyncFunctionSuite::raise);
    CompletableFuture<Integer> call = rpc().async(dst(), raise, "expected error");
    fails(Status.USER_ERROR, "expected error", () -> Rpc.await(call));
  }

  @Test
  @PeerTest("test_async_function_raise_remote")
  void referenceFailsWhenAsyncFunctionThrows() {
    Function<Integer> raise = Function.async(AsyncFunctionSuite::raise);
    try (RRef<Integer> rref = rrefs().remote(dst(), raise, "expected error")) {
      fails(Status.USER_ERROR, "expected error", rref::toHere);
    }
  }

  /**
   * The compiler refuses a method that returns no stage. A function by name is not checked by it.
   */
  @Test
  @PeerTest("test_async_function_wrong_return_type")
  void syncCallFailsWhenFunctionReturnsPlainFuture() {
    Function<Integer> wrong = Function.named(AsyncFunctionSuite.class, "noStage");
    fails(Status.BAD_VALUE, "a future cannot travel", () -> rpc().sync(dst(), wrong));
  }

  @Test
  @PeerTest("test_async_function_wrong_return_type_async")
  void asyncCallFailsWhenFunctionReturnsPlainFuture() {
    Function<Integer> wrong = Function.named(AsyncFunctionSuite.class, "noStage");
    CompletableFuture<Integer> call = rpc().async(dst(), wrong);
    fails(Status.BAD_VALUE, "a future cannot travel", () -> Rpc.await(call));
  }

  @Test
  @PeerTest("test_async_function_wrong_return_type_remote")
  void referenceFailsWhenFunctionReturnsPlainFuture() {
    Function<Integer> wrong = Function.named(AsyncFunctionSuite.class, "noStage");
    try (RRef<Integer> rref = rrefs().remote(dst(), wrong)) {
      fails(Status.BAD_VALUE, "a future cannot travel", rref::toHere);
    }
  }

  @Test
  @PeerTest("test_async_function_with_future_ctor")
  void asyncFunctionReturnsFutureMadeByHand() {
    syncAndAsync(BY_HAND, 4, dst(2), 1, 2);
  }

  @Test
  @PeerTest("test_async_function_with_future_ctor_remote")
  void referenceReadsFutureMadeByHand() {
    remote(BY_HAND, 4, dst(2), 1, 2);
  }

  @Test
  @PeerTest("test_async_function_chained")
  void asyncFunctionReturnsChainedStage() {
    syncAndAsync(CHAINED, 2, dst(2), 1, 1);
  }

  @Test
  @PeerTest({"test_async_function_chained_remote", "test_async_function_remote"})
  void referenceReadsChainedStage() {
    remote(CHAINED, 2, dst(2), 1, 1);
  }

  @Test
  @PeerTest("test_async_function_nested")
  void asyncFunctionCallsAsyncFunction() {
    syncAndAsync(NESTED, 3, dst(2), 1, 2);
  }

  @Test
  @PeerTest("test_async_function_nested_remote")
  void referenceReadsNestedAsyncFunction() {
    remote(NESTED, 3, dst(2), 1, 2);
  }

  @Test
  @PeerTest("test_async_function_multi_chained")
  void syncCallReturnsChainOfTwentyStages() {
    assertThat(rpc().sync(dst(), CHAINED, dst(2), 1, 20)).isEqualTo(21);
  }

  @Test
  @PeerTest("test_async_function_multi_chained_async")
  void asyncCallReturnsChainOfTwentyStages() {
    assertThat(rpc().async(dst(), CHAINED, dst(2), 1, 20).join()).isEqualTo(21);
  }

  @Test
  @PeerTest("test_async_function_multi_chained_remote")
  void referenceReadsChainOfTwentyStages() {
    remote(CHAINED, 21, dst(2), 1, 20);
  }

  @Test
  @PeerTest("test_async_function_multi_fanout")
  void syncCallReturnsSumOfTwentyCalls() {
    assertThat(rpc().sync(dst(), FANNED_OUT, dst(2), 1, 20)).isEqualTo(210);
  }

  @Test
  @PeerTest("test_async_function_multi_fanout_async")
  void asyncCallReturnsSumOfTwentyCalls() {
    assertThat(rpc().async(dst(), FANNED_OUT, dst(2), 1, 20).join()).isEqualTo(210);
  }

  @Test
  @PeerTest("test_async_function_multi_fanout_remote")
  void referenceReadsSumOfTwentyCalls() {
    remote(FANNED_OUT, 210, dst(2), 1, 20);
  }

  /** Object with async methods. */
  @RemoteFunctions
  static final class Adder {
    private final int base;

    Adder(int base) {
      this.base = base;
    }

    CompletionStage<Integer> bound(String to, int a) {
      return rpc().async(to, FutureSuite::plus, base, a);
    }

    static CompletionStage<Integer> ofClass(String to, int a) {
      return rpc().async(to, FutureSuite::plus, a, a);
    }
  }

  @Test
  @PeerTest("test_async_static_method")
  void asyncStaticMethodReturnsResult() {
    syncAndAsync(Function.async(Adder::ofClass), 4, dst(2), 2);
  }

  @Test
  @PeerTest("test_async_static_method_remote")
  void referenceReadsAsyncStaticMethod() {
    remote(Function.async(Adder::ofClass), 4, dst(2), 2);
  }

  @Test
  @PeerTest("test_async_class_method")
  void asyncStaticMethodReturnsResultWhenNamed() {
    syncAndAsync(Function.named(Adder.class, "ofClass", String.class, int.class), 4, dst(2), 2);
  }

  @Test
  @PeerTest("test_async_class_method_remote")
  void referenceReadsAsyncStaticMethodWhenNamed() {
    remote(Function.named(Adder.class, "ofClass", String.class, int.class), 4, dst(2), 2);
  }

  private static final Function<Integer> BOUND = Function.async(Adder::bound);

  @Test
  @PeerTest("test_async_class_rref_proxy")
  void asyncMethodRunsThroughReference() {
    try (RRef<Adder> adder = rrefs().remote(dst(), Adder::new, 5)) {
      assertThat(adder.sync(BOUND, dst(2), 1)).isEqualTo(6);
    }
  }

  @Test
  @PeerTest("test_async_class_rref_proxy_async")
  void asyncMethodRunsThroughReferenceByAsync() {
    try (RRef<Adder> adder = rrefs().remote(dst(), Adder::new, 5)) {
      assertThat(adder.async(BOUND, dst(2), 1).join()).isEqualTo(6);
    }
  }

  @Test
  @PeerTest("test_async_class_rref_proxy_remote")
  void asyncMethodRunsThroughReferenceByRemote() {
    try (RRef<Adder> adder = rrefs().remote(dst(), Adder::new, 5);
        RRef<Integer> sum = adder.remote(BOUND, dst(2), 1)) {
      assertThat(sum.toHere()).isEqualTo(6);
    }
  }

  /** Averages gradients; the last gradient of a round completes the calls of all trainers. */
  @RemoteFunctions
  static final class ParameterServer {
    private final int trainers;
    private double parameter;
    private double gathered;
    private List<CompletableFuture<Double>> waiting = new ArrayList<>();

    ParameterServer(int trainers) {
      this.trainers = trainers;
    }

    synchronized CompletionStage<Double> average(double gradient) {
      CompletableFuture<Double> answer = new CompletableFuture<>();
      waiting.add(answer);
      gathered += gradient;
      if (waiting.size() == trainers) {
        parameter = gathered / trainers;
        gathered = 0;
        List<CompletableFuture<Double>> all = waiting;
        waiting = new ArrayList<>();
        all.forEach(future -> future.complete(parameter));
      }
      return answer;
    }

    synchronized double parameter() {
      return parameter;
    }
  }

  /** Trains ten rounds with the server behind a reference. */
  static double train(RRef<ParameterServer> server, int trainer) {
    Function<Double> average = Function.async(ParameterServer::average);
    double last = 0;
    for (int round = 0; round < 10; round++) {
      last = server.sync(average, (double) (round + trainer));
      assertThat(last).isEqualTo(round + 2.0); // The average of round + 1, + 2 and + 3.
    }
    return last;
  }

  @Test
  @PeerTest("test_my_parameter_server")
  void parameterServerAveragesGradientsOfThreeTrainers() {
    try (RRef<ParameterServer> server = rrefs().remote(home(), ParameterServer::new, 3)) {
      List<CompletableFuture<Double>> trainers = new ArrayList<>();
      for (int i = 1; i < FourWorkers.COUNT; i++) {
        trainers.add(rpc().async(dst(i), AsyncFunctionSuite::train, server, i));
      }
      trainers.forEach(trainer -> assertThat(trainer.join()).isEqualTo(11.0));
      assertThat(server.sync(ParameterServer::parameter)).isEqualTo(11.0);
    }
  }
}
