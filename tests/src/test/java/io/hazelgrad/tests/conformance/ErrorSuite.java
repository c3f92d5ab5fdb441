package io.hazelgrad.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteError;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.tests.PeerTest;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Tests of failures in a called function or before it. */
@RemoteFunctions
class ErrorSuite extends PeerSuite {
  private static final String LINES = "first line\nsecond \"line\"\n\tthird line\\n";

  @SuppressWarnings("DoNotCallSuggester") // A remote function.
  static String raise(String message) {
    throw new IllegalStateException(message);
  }

  @Test
  @PeerTest("test_op_with_invalid_args")
  void operatorIsRefusedWhenArgumentsAreMissing() {
    Function<Tensor> add = Function.operator("add");
    refusedThreeWays(Status.BAD_ARGUMENT, "add", dst(), add);
  }

  /** Type that only the class loader of one worker's JVM has. */
  interface OnlyHere {
    int run();
  }

  @Test
  @PeerTest("test_function_not_on_callee")
  void callFailsWhenCalleeLacksTheClass() {
    if (rank() != 0) {
      return;
    }
    Object here =
        Proxy.newProxyInstance(
            OnlyHere.class.getClassLoader(), new Class<?>[] {OnlyHere.class}, (p, m, a) -> 1);
    Function<Integer> run = Function.named(here.getClass(), "run");
    fails(Status.UNKNOWN_FUNCTION, "code does not travel", () -> rpc().sync(dst(), run));
    assertThat(rpc().sync(dst(), PeerSuite::self)).isEqualTo(dst());
  }

  @Test
  @PeerTest("test_py_function_exception")
  void callFailsWhenArgumentsDoNotFit() {
    Function<String> raise = Function.named(ErrorSuite.class, "raise", String.class);
    fails(Status.BAD_ARGUMENT, "raise", () -> rpc().sync(dst(), raise, 10));
    fails(Status.BAD_ARGUMENT, "raise", () -> rpc().sync(dst(), raise));
  }

  @Test
  @PeerTest("test_py_raise_in_user_func")
  void callFailsWithCauseAndStackOfCallee() {
    CompletableFuture<String> call = rpc().async(dst(), ErrorSuite::raise, "expected error");
    GridException failure = fails(Status.USER_ERROR, "expected error", () -> Rpc.await(call));
    assertThat(failure)
        .cause()
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("expected error");
    assertThat(failure.mayHaveRun()).isTrue();
    RemoteError remote = failure.remote();
    assertThat(remote.worker()).isEqualTo(dst());
    assertThat(remote.stack().get(0)).contains("ErrorSuite.raise");
  }

  @Test
  @PeerTest("test_py_raise_in_user_func_escaped_str")
  void errorMessageKeepsLinesAndQuotes() {
    assertThatThrownBy(() -> rpc().sync(dst(), ErrorSuite::raise, LINES))
        .isInstanceOf(GridException.class)
        .cause()
        .hasMessage(LINES);
  }

  /** Exception without a constructor for a message alone. */
  static final class Odd extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Odd(int one, int other) {
      super("odd " + one + " " + other);
    }
  }

  @SuppressWarnings("DoNotCallSuggester") // A remote function.
  static int raiseOdd() {
    throw new Odd(1, 2);
  }

  @Test
  @PeerTest("test_custom_exception_throw_during_reconstruction")
  void errorNamesTypeWhenExceptionCannotBeRebuilt() {
    GridException failure =
        fails(Status.USER_ERROR, "odd 1 2", () -> rpc().sync(dst(), ErrorSuite::raiseOdd));
    assertThat(failure).hasNoCause();
    assertThat(failure.remote().type()).isEqualTo(Odd.class.getName());
    assertThat(failure.remote().message()).isEqualTo("odd 1 2");
  }

  @Test
  @PeerTest("test_remote_with_exception")
  void referenceFailsWithCauseWhenCreationThrows() {
    for (String owner : destinations()) {
      try (RRef<String> rref = rrefs().remote(owner, ErrorSuite::raise, "no value")) {
        assertThatThrownBy(rref::toHere)
            .isInstanceOf(GridException.class)
            .hasCauseInstanceOf(IllegalStateException.class);
      }
    }
  }

  @Test
  @PeerTest("test_remote_throw")
  void referenceFailsWithMessageWhenCreationThrows() {
    try (RRef<String> rref = rrefs().remote(dst(), ErrorSuite::raise, "expected error")) {
      fails(Status.USER_ERROR, "expected error", rref::toHere);
    }
  }

  @Test
  @PeerTest("test_future_wait_twice")
  void futureFailsAgainWhenAwaitedTwice() {
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      calls.add(rpc().async(dst(), ErrorSuite::raise, "expected error"));
    }
    CompletableFuture<?> all = CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new));
    fails(Status.USER_ERROR, "expected error", () -> Rpc.await(all));
    for (CompletableFuture<String> call : calls) {
      fails(Status.USER_ERROR, "expected error", () -> Rpc.await(call));
      assertThatThrownBy(call::join)
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(GridException.class);
    }
  }
}
