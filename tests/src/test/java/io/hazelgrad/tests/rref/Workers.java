package io.hazelgrad.tests.rref;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.rref.RRefs;
import io.hazelgrad.tests.Await;
import io.hazelgrad.tests.Grids;
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
 * The workers a, b and c that the tests of a class and its nested classes share, and those that a
 * test adds. After each test nothing may be left on any of them: no handle, no object, no call, no
 * live RRef.
 */
final class Workers implements BeforeAllCallback, AfterEachCallback, AfterAllCallback {
  static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final Map<String, Grid> LIVING = new TreeMap<>();
  private static final List<AutoCloseable> CLOSED_AFTER = new ArrayList<>();

  private static Grids grids;

  @Override
  public void beforeAll(ExtensionContext context) {
    if (isNested(context)) {
      return;
    }
    grids = Grids.join("a", "b", "c");
    List.of("a", "b", "c").forEach(name -> LIVING.put(name, grids.grid(name)));
  }

  @Override
  public void afterAll(ExtensionContext context) {
    if (!isNested(context)) {
      LIVING.clear();
      grids.close();
    }
  }

  private static boolean isNested(ExtensionContext context) {
    return context.getRequiredTestClass().getEnclosingClass() != null;
  }

  static Grid grid(String name) {
    return LIVING.get(name);
  }

  static RRefs rrefs(String name) {
    return RRefs.on(grid(name));
  }

  /** Starts one more worker, for a test that ends it. */
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

  /** Lets a worker that the test added leave. */
  static void leave(String name) {
    grid(name).close();
    kill(name);
  }

  /** Closes something after the test, whether or not the test got that far. */
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
  }

  static void awaitNothingLeft() {
    Await.until(DEADLINE, Workers::left);
  }

  /** Waits until a worker owns so many objects. */
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
    int live = rrefs("a").liveCount();
    add(found, live, "live RRefs");
    if (live > 0) {
      found.add(
          grid("a").hazelcast().getMap("hazelgrad.rrefs").entrySet().stream()
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
