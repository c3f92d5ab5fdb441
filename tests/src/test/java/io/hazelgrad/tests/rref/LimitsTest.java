package io.hazelgrad.tests.rref;

import static io.hazelgrad.tests.rref.Failures.assertFails;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Status;
import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.DurableRRefs;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefFilter;
import io.hazelgrad.rref.RRefOptions;
import io.hazelgrad.rref.RRefs;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.InProcessGrids;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests of what {@code RRefOptions} limits: the number and size of objects, the wait of a worker
 * that leaves, and the stacks of handles.
 */
class LimitsTest {
  private InProcessGrids grids;
  private RRefs a;
  private RRefs b;

  private void join(RRefOptions options) {
    grids = InProcessGrids.join((HazelgradConfig.Builder it) -> it.options(options), "a", "b");
    a = RRefs.on(grids.grid("a"));
    b = RRefs.on(grids.grid("b"));
  }

  @AfterEach
  void leave() {
    Await.until(
        "nothing is left",
        Workers.DEADLINE,
        () ->
            a.totals().stream()
                .allMatch(it -> it.objects() + it.bytes() + it.handles() + a.liveCount() == 0));
    grids.close();
    Signal.releaseAll();
    Signal.forgetAll();
  }

  @Test
  void creationFailsAboveObjectLimit() {
    join(RRefOptions.defaults().withMaxObjects(3));
    Box.CLOSED.set(0);
    List<RRef<Box>> boxes = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      boxes.add(a.remote("b", Box::new, i));
      boxes.get(i).creation().join();
    }
    try (RRef<Box> more = a.remote("b", Box::slowBox, "never reached")) {
      assertFails(more.creation(), Status.REJECTED, "worker b", "3 objects", "maxObjects");
      assertFails(more::toHere, Status.REJECTED, "maxObjects");
    }
    assertFails(() -> b.local(1), Status.REJECTED, "worker b", "maxObjects");
    assertThat(boxes).allSatisfy(box -> assertThat(box.sync(Box::add, 1)).isPositive());
    boxes.remove(0).close();
    Await.until("one has gone", Workers.DEADLINE, () -> b.objectCount() == 2);
    try (RRef<Integer> next = b.local(1)) {
      assertThat(next.localValue()).isEqualTo(1);
    }
    boxes.forEach(RRef::close);
  }

  @Test
  void closeFailsWithListWhenReferencesAreLeft() {
    join(RRefOptions.defaults().withFailOnLeak(true));
    Grid grid = grids.grid("b");
    RRef<Box> held = b.remote("a", Box::new, 1);
    assertThat(held.type()).isEqualTo(Box.class.getName());
    RRef<Integer> own = b.local(2);
    assertFails(
        grid::close,
        Status.RREF_LEAKED,
        "worker b leaves the grid",
        "holds RRefs of type " + Box.class.getName() + ", created by b: 1",
        "owns RRefs of type java.lang.Integer, created by b: 1");
    assertThat(grid.isClosed()).isTrue();
    assertThat(held.isClosed()).isTrue();
    assertThat(own.isClosed()).isTrue();
    grid.close(); // The list was told.
  }

  @Test
  void listOfReferencesHasTenLinesAtMost() {
    join(RRefOptions.defaults().withFailOnLeak(true));
    List<RRef<?>> kept = new ArrayList<>(); // The garbage collector would close them.
    for (Object value : List.of(1, 1L, 1f, 1d, "1", '1', true, new int[0])) {
      kept.add(b.local(value));
    }
    GridException failure = catchThrowableOfType(GridException.class, grids.grid("b")::close);
    assertThat(failure.getMessage().lines().skip(1)).hasSize(10);
    assertThat(failure).hasMessageEndingWith("and RRefs of 7 more types and creators");
    assertThat(kept).allMatch(RRef::isClosed);
  }

  @Test
  void creationFailsAboveByteLimit() {
    join(RRefOptions.defaults().withMaxBytes(1000));
    try (RRef<double[]> fits = b.local(new double[100]);
        RRef<double[]> tooLarge = a.remote("b", Box::doubles, 26)) {
      assertThat(fits.localValue()).hasSize(100);
      assertFails(tooLarge::toHere, Status.REJECTED, "208 bytes", "800", "maxBytes is 1000");
      assertFails(() -> b.local(new double[26]), Status.REJECTED, "208 bytes");
      try (RRef<double[]> small = a.remote("b", Box::doubles, 25)) {
        assertThat(small.toHere()).hasSize(25);
        assertFails(() -> b.local(1), Status.REJECTED, "owns objects of 1000 bytes");
      }
    }
  }

  @Test
  void creationFailsWhenValueIsTooLargeToStore() {
    join(RRefOptions.defaults().withMaxDurableBytes(1000));
    DurableRRefs durable = a.durable(Durability.ON_REQUEST);
    try (RRef<double[]> fits = durable.remote("b", Box::doubles, 100);
        RRef<double[]> tooLarge = durable.remote("b", Box::doubles, 130)) {
      assertFails(tooLarge::toHere, Status.BAD_VALUE, "1045 bytes", "maxDurableBytes=1000");
      assertFails(tooLarge::checkpoint, Status.BAD_VALUE, "maxDurableBytes");
      fits.checkpoint();
      assertThat(fits.toHere()).hasSize(100);
    }
  }

  @Test
  void workerThatLeavesWaitsForACallNoLongerThanConfigured() {
    join(RRefOptions.defaults().withHandOverWait(Duration.ofMillis(1)));
    try (RRef<DurableCounter> counter =
        a.durable(Durability.ON_REQUEST).remote("b", DurableCounter::new)) {
      CompletableFuture<Integer> call = counter.async(DurableCounter::slowAdd, "too slow");
      Signal.named("too slow").awaitReached();
      grids.grid("b").close();
      assertThat(assertFails(call, Status.WORKER_LOST, "worker b").mayHaveRun()).isTrue();
      assertThat(counter.sync(DurableCounter::get)).as("as the worker left it").isEqualTo(1);
      assertThat(counter.owner().name()).isEqualTo("a");
    }
  }

  @Test
  void handleHasFullStackWhenConfigured() {
    join(RRefOptions.defaults().withFullStacks(true));
    try (RRef<Integer> one = makes(a)) {
      assertThat(one.isOwner()).isTrue();
      String madeAt = b.find(RRefFilter.all()).get(0).madeAt();
      assertThat(madeAt)
          .contains("LimitsTest.makes", "LimitsTest.handleHasFullStackWhenConfigured");
    }
  }

  private static RRef<Integer> makes(RRefs rrefs) {
    return rrefs.local(1);
  }
}
