package io.hazelgrad.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import io.hazelgrad.testkit.Leftovers;
import io.hazelgrad.tests.TestDriver;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Base class of tests that run on all four workers at once, like the peer's tests: the body of a
 * test is a function that is called on each worker. Handles that a body leaves open are closed when
 * the call ends, as Python's reference counts do it. After each test nothing may be left on any
 * worker.
 */
@RemoteFunctions
@ExtendWith({FourWorkers.class, Leftovers.class})
abstract class PeerSuite {
  /** The client that runs this thread's test; null on workers. */
  private static final ThreadLocal<@Nullable TestDriver> CLIENT = new ThreadLocal<>();

  /** Runs a test here, in a client. Handles that its body leaves open close with the client. */
  static void run(GridClient client, String type, String test) throws Throwable {
    CLIENT.set(TestDriver.of(client));
    try {
      run(type, test);
    } finally {
      CLIENT.remove();
    }
  }

  /** Runs a test on the called worker. */
  static void run(String type, String test) throws Throwable {
    Class<?> found = Class.forName(type);
    Method body = found.getDeclaredMethod(test);
    if (!PeerSuite.class.isAssignableFrom(found) || !body.isAnnotationPresent(Test.class)) {
      throw new IllegalArgumentException(type + "." + test + " is no test of the peer's");
    }
    try {
      body.invoke(found.getDeclaredConstructor().newInstance());
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  /** Returns the grid of the called worker. */
  static Grid grid() {
    return Grid.current();
  }

  /** Returns the process that runs the test: the called worker or the client. */
  static TestDriver driver() {
    TestDriver client = CLIENT.get();
    return client == null ? TestDriver.of(grid()) : client;
  }

  static boolean isClient() {
    return CLIENT.get() != null;
  }

  /** Returns the grid of the called worker, or the client that runs the test. */
  static GridAccess access() {
    return driver().access();
  }

  static Rpc rpc() {
    return driver().rpc();
  }

  static RRefs rrefs() {
    return driver().rrefs();
  }

  static String self() {
    return driver().name();
  }

  /** Returns the worker's number; a client has that of the first worker. */
  static int rank() {
    return isClient() ? 0 : Integer.parseInt(self().substring("worker".length()));
  }

  /**
   * Returns the place of this test's objects: the worker itself, or the worker next to a client.
   */
  static String home() {
    return isClient() ? dst() : self();
  }

  /**
   * Returns the destination of calls of a called function: its caller, or a third worker if that is
   * a client.
   */
  static String caller() {
    return isClient() ? dst(2) : self();
  }

  /** Returns the next worker, and this one itself if it can be called. */
  static List<String> destinations() {
    return isClient() ? List.of(dst()) : List.of(dst(), self());
  }

  /** Returns the next worker. */
  static String dst() {
    return dst(1);
  }

  /** Returns the worker that is this number of places further. */
  static String dst(int places) {
    return FourWorkers.name(rank() + places);
  }

  /** Calls in each of the three ways: sync, async, and a remote creation that is read. */
  static <R> void threeWays(
      String to, Function<R> function, Consumer<? super R> check, Object... arguments) {
    check.accept(rpc().sync(to, function, arguments));
    check.accept(Rpc.await(rpc().async(to, function, arguments)));
    try (RRef<R> rref = rrefs().remote(to, function, arguments)) {
      check.accept(rref.toHere());
    }
  }

  /** Calls in each of the three ways, and checks that each fails alike. */
  static void failsThreeWays(
      Status status, String named, String to, Function<?> function, Object... arguments) {
    fails(status, named, () -> rpc().sync(to, function, arguments));
    fails(status, named, () -> Rpc.await(rpc().async(to, function, arguments)));
    fails(
        status,
        named,
        () -> {
          try (RRef<?> rref = rrefs().remote(to, function, arguments)) {
            rref.toHere();
          }
        });
  }

  /**
   * Calls in each of the three ways with arguments that the catalogue or a deployed graph forbids.
   * A worker refuses them before it sends them. A client knows neither, so its callee refuses them.
   */
  static void refusedThreeWays(
      Status status, String named, String to, Function<?> function, Object... arguments) {
    if (isClient()) {
      failsThreeWays(status, named, to, function, arguments);
      return;
    }
    fails(status, named, () -> rpc().sync(to, function, arguments));
    fails(status, named, () -> rpc().async(to, function, arguments));
    fails(status, named, () -> rrefs().remote(to, function, arguments).close());
  }

  /** Checks the status of a failure, and that its message contains a text. */
  static GridException fails(Status status, String named, ThrowingCallable call) {
    GridException failure = catchThrowableOfType(GridException.class, call);
    assertThat(failure).as("a failure with %s", status).isNotNull();
    assertThat(failure.status()).as(failure.toString()).isEqualTo(status);
    assertThat(failure).hasMessageContaining(named);
    return failure;
  }

  static <T> Consumer<T> is(T expected) {
    return found -> assertThat(found).isEqualTo(expected);
  }
}
