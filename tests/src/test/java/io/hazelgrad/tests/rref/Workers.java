package io.hazelgrad.tests.rref;

import com.hazelcast.map.IMap;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.RRefOptions;
import io.hazelgrad.rref.RRefs;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.InProcessGrids;
import io.hazelgrad.tests.ClientSuite;
import io.hazelgrad.tests.TestDriver;
import io.hazelgrad.tests.WorkersOnly;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The workers a, b and c that the tests of a class and its nested classes share, and workers that a
 * test adds. The test itself uses worker a, or in a {@link ClientSuite} a client in this JVM. After
 * each test nothing may be left on any of them: no handle, no object, no call, no live RRef.
 */
final class Workers implements BeforeAllCallback, AfterEachCallback, AfterAllCallback {
  /** Name of the client that runs a test. */
  static final String CLIENT = "client";

  static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final Map<String, Grid> LIVING = new TreeMap<>();
  private static final List<AutoCloseable> CLOSED_AFTER = new ArrayList<>();

  private static InProcessGrids grids;
  private static TestDriver driver;

  @Override
  public void beforeAll(ExtensionContext context) {
    if (isNested(context)) {
      return;
    }
    grids = InProcessGrids.join(Workers::patient, "a", "b", "c");
    List.of("a", "b", "c").forEach(name -> LIVING.put(name, grids.grid(name)));
    driver =
        WorkersOnly.Condition.isClientSuite(context.getRequiredTestClass())
            ? TestDriver.of(grids.client(CLIENT))
            : TestDriver.of(grid("a"));
  }

  /** Lets a worker that leaves wait for each call that a test holds up, as long as that takes. */
  private static HazelgradConfig.Builder patient(HazelgradConfig.Builder builder) {
    return builder.options(RRefOptions.defaults().withHandOverWait(DEADLINE));
  }

  @Override
  public void afterAll(ExtensionContext context) {
    if (!isNested(context)) {
      LIVING.clear();
      driver.close();
      grids.close();
    }
  }

  private static boolean isNested(ExtensionContext context) {
    return context.getRequiredTestClass().getEnclosingClass() != null;
  }

  /** Returns the worker or client that runs the test. */
  static TestDriver driver() {
    return driver;
  }

  /** Returns the references of the worker or client that runs the test. */
  static RRefs rrefs() {
    return driver.rrefs();
  }

  /** Returns the calls of the worker or client that runs the test. */
  static Rpc rpc() {
    return driver.rpc();
  }

  /** Starts a client, which the test closes. */
  static GridClient client(String name) {
    return grids.client(name);
  }

  static Grid grid(String name) {
    return LIVING.get(name);
  }

  static RRefs rrefs(String name) {
    return RRefs.on(grid(name));
  }

  /** Starts one more worker for a test that ends it. */
  static Grid add(String name) {
    Grid grid = grids.add(name);
    LIVING.put(name, grid);
    return grid;
  }

  /** Ends a worker that the test added, as if its process had died. */
  static void kill(String name) {
    LIVING.remove(name);
    grids.kill(name);
  }

  /** Makes a worker that the test added leave. */
  static void leave(String name) {
    grid(name).close();
    kill(name);
  }

  /** Closes something after the test, also if the test failed before. */
  static <C extends AutoCloseable> C closing(C closeable) {
    CLOSED_AFTER.add(closeable);
    return closeable;
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    Signal.releaseAll();
    for (AutoCloseable closeable : CLOSED_AFTER) {
      closeable.close();
    }
    CLOSED_AFTER.clear();
    for (String name : List.copyOf(LIVING.keySet())) {
      if (name.length() > 1) {
        leave(name);
      }
    }
    awaitNothingLeft();
    Signal.forgetAll();
  }

  static void awaitNothingLeft() {
    Await.until(DEADLINE, Workers::left);
  }

  /** Returns the entries of all RRefs. */
  static IMap<RRefId, Object> registry() {
    return grid("c").hazelcast().getMap("hazelgrad.rrefs");
  }

  /** Waits until the entry of an RRef has a state, such as {@code LOST}. */
  static void awaitEntry(RRef<?> rref, String state) {
    Await.until(
        "the entry is " + state,
        DEADLINE,
        () -> String.valueOf(registry().get(rref.id())).startsWith(state));
  }

  /** Waits until a worker owns this number of objects. */
  static void awaitObjects(String name, int count) {
    Await.until(
        DEADLINE,
        () -> {
          int found = rrefs(name).objectCount();
          return found == count ? "" : name + " owns " + found + " objects, not " + count;
        });
  }

  private static String left() {
    List<String> found = new ArrayList<>();
    LIVING.forEach(
        (name, grid) -> {
          add(found, RRefs.on(grid).handleCount(), "handles held by " + name);
          add(found, RRefs.on(grid).objectCount(), "objects owned by " + name);
          add(found, grid.outstandingCalls(), "calls of " + name + " without an answer");
        });
    add(found, driver.rrefs().handleCount(), "handles held by " + driver.name());
    add(found, driver.outstandingCalls(), "calls of " + driver.name() + " without an answer");
    int live = rrefs("a").liveCount();
    add(found, live, "live RRefs");
    if (live > 0) {
      found.add(
          registry().entrySet().stream()
              .filter(entry -> !entry.getValue().toString().startsWith("GONE"))
              .map(Object::toString)
              .toList()
              .toString());
    }
    return found.isEmpty() ? "" : "left: " + String.join(", ", found);
  }

  private static void add(List<String> found, int count, String what) {
    if (count > 0) {
      found.add(count + " " + what);
    }
  }
}
