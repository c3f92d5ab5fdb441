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
import io.hazelgrad.tests.Seat;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests whose methods run on all four workers at once, as the peer's do: the test's body is a
 * function that is called on each. What a body leaves open is closed when the call ends, as
 * Python's reference counts do it; and after each test nothing may be left anywhere.
 */
@RemoteFunctions
@ExtendWith({FourWorkers.class, Leftovers.class})
abstract class Peer {
  /** The seat of the client that drives this thread's test; null on workers. */
  private static final ThreadLocal<@Nullable Seat> CLIENT = new ThreadLocal<>();

  /** Runs a test here, driven by a client. What its body leaves open, the client closes. */
  static void run(GridClient client, String type, String test) throws Throwable {
    CLIENT.set(Seat.of(client));
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
    if (!Peer.class.isAssignableFrom(found) || !body.isAnnotationPresent(Test.class)) {
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

  /** Returns from where this works: the called worker, or the client that drives the test. */
  static Seat seat() {
    Seat client = CLIENT.get();
    return client == null ? Seat.of(grid()) : client;
  }

  static boolean isClient() {
    return CLIENT.get() != null;
  }

  /** Returns the grid of the called worker, or the client that drives the test. */
  static GridAccess access() {
    return seat().access();
  }

  static Rpc rpc() {
    return seat().rpc();
  }

  static RRefs rrefs() {
    return seat().rrefs();
  }

  static String self() {
    return seat().name();
  }

  /** Returns the worker's place; a client takes that of the first. */
  static int rank() {
    return isClient() ? 0 : Integer.parseInt(self().substring("worker".length()));
  }

  /** Returns where this test's objects live: a worker's own here, a client's on the next worker. */
  static String home() {
    return isClient() ? dst() : self();
  }

  /** Returns whom a called function calls: its caller, or where that is a client, a third. */
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

  /** Returns the worker so many places further. */
  static String dst(int places) {
    return FourWorkers.name(rank() + places);
  }

  /** Calls in each of the three ways: and wait, for a future, and for a reference that is read. */
  static <R> void threeWays(
      String to, Function<R> function, Consumer<? super R> check, Object... arguments) {
    check.accept(rpc().sync(to, function, arguments));
    check.accept(Rpc.await(rpc().async(to, function, arguments)));
    try (RRef<R> rref = rrefs().remote(to, function, arguments)) {
      check.accept(rref.toHere());
    }
  }

  /** Calls in each of the three ways, each of which must fail alike. */
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
   * Calls in each of the three ways something that the catalogue or a deployed graph forbids: a
   * worker refuses that before it is sent; a client knows neither, and its callee refuses it.
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

  /** Checks that something fails with this status, and a message in which this is named. */
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
