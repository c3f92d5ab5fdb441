package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.grid.profile.Detail;
import io.hazelgrad.grid.profile.Event;
import io.hazelgrad.grid.profile.Profile;
import io.hazelgrad.grid.profile.Profiler;
import io.hazelgrad.grid.spi.Trace;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the profiler sees of calls. */
class ProfileTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final String ADD = "io.hazelgrad.grid.ProfiledCalls::add(double, double)";

  private static TestGrids grids;
  private static Grid alice;
  private static Grid bob;

  @BeforeAll
  static void join() {
    grids = new TestGrids();
    alice = grids.join("alice");
    bob = grids.join("bob");
    grids.join("carol");
  }

  @AfterAll
  static void end() {
    grids.close();
  }

  @AfterEach
  void nothingIsRecordedAnyMore() {
    assertThat(Trace.recorder()).isNull();
    for (String worker : List.of("alice", "bob", "carol")) {
      assertThat(alice.rpc().sync(worker, ProfiledCalls::isRecorded)).isFalse();
    }
  }

  private static Profile profiled(Runnable work, Detail... details) {
    Profile profile = Profiler.of(alice).start(details);
    try (profile) {
      work.run();
      profile.await(DEADLINE);
    }
    return profile;
  }

  private static Event only(Profile profile, Event.Kind kind, String worker) {
    List<Event> found =
        profile.events().stream()
            .filter(event -> event.kind() == kind && event.worker().equals(worker))
            .toList();
    assertThat(found).hasSize(1);
    return found.get(0);
  }

  @Test
  void callIsEventOfCallerAndFunctionOfCallee() {
    Profile profile = profiled(() -> alice.rpc().sync("bob", ProfiledCalls::add, 1.0, 2.0));

    Event call = only(profile, Event.Kind.CALL, "alice");
    Event function = only(profile, Event.Kind.FUNCTION, "bob");
    assertThat(profile.events()).containsExactly(call, function);
    assertThat(call.name()).isEqualTo("rpc_sync#" + ADD + "(alice -> bob)");
    assertThat(call.isRemote()).isFalse();
    assertThat(call.bytesOut()).isPositive();
    assertThat(call.bytesIn()).isPositive();
    assertThat(call.failure()).isNull();
    assertThat(function.name()).isEqualTo(call.name() + "#remote_op: " + ADD);
    assertThat(function.isRemote()).isTrue();
    assertThat(function.parent()).isEqualTo(call.id());
    assertThat(function.queueNanos()).isNotNegative();
    assertThat(function.startNanos()).isBetween(call.startNanos(), call.endNanos());
    assertThat(function.endNanos()).isBetween(function.startNanos(), call.endNanos());
    assertThat(function.shapes()).isEmpty();
    assertThat(function.allocatedBytes()).isEqualTo(-1);
  }

  @Test
  void nestedCallsHaveNestedKeys() {
    Profile profile =
        profiled(() -> alice.rpc().sync("bob", ProfiledCalls::addOn, "carol", 1.0, 2.0));
    String outer = only(profile, Event.Kind.CALL, "alice").name();
    String inner = outer + "#remote_op: rpc_sync#" + ADD + "(bob -> carol)";
    assertThat(only(profile, Event.Kind.CALL, "bob").name()).isEqualTo(inner);
    assertThat(only(profile, Event.Kind.FUNCTION, "carol").name())
        .isEqualTo(inner + "#remote_op: " + ADD);
    assertThat(profile.events()).hasSize(4);
  }

  @Test
  void asyncFunctionsAreRecorded() {
    Profile profile =
        profiled(
            () -> {
              var unused =
                  alice
                      .rpc()
                      .async("bob", Function.async(ProfiledCalls::addLater), "carol", 1.0, 2.0);
            });
    Event call = only(profile, Event.Kind.CALL, "alice");
    assertThat(call.name()).startsWith("rpc_async#");
    Event inner = only(profile, Event.Kind.CALL, "bob");
    assertThat(inner.name())
        .isEqualTo(call.name() + "#remote_op: rpc_async#" + ADD + "(bob -> carol)");
    assertThat(only(profile, Event.Kind.FUNCTION, "carol").parent()).isEqualTo(inner.id());
    // The function lasts until its stage was complete.
    assertThat(only(profile, Event.Kind.FUNCTION, "bob").durationNanos())
        .isGreaterThanOrEqualTo(inner.durationNanos());
  }

  @Test
  void scopeInFunctionIsRecordedOnceWithItsOperations() {
    Profile profile = profiled(() -> alice.rpc().sync("bob", ProfiledCalls::scoped, 3));
    Event function = only(profile, Event.Kind.FUNCTION, "bob");
    Event scope = only(profile, Event.Kind.SCOPE, "bob");
    assertThat(scope.operation()).isEqualTo("outer scope");
    assertThat(scope.parent()).isEqualTo(function.id());
    List<Event> steps =
        profile.events().stream().filter(e -> e.kind() == Event.Kind.OPERATION).toList();
    assertThat(steps)
        .hasSize(3)
        .allSatisfy(step -> assertThat(step.parent()).isEqualTo(scope.id()))
        .allSatisfy(step -> assertThat(step.operation()).isEqualTo("step"));

    Profile local = profiled(() -> ProfiledCalls.scoped(3));
    assertThat(local.events()).extracting(Event::operation).hasSize(4).contains("outer scope");
    assertThat(local.events()).noneMatch(Event::isRemote);
  }

  @Test
  void shapesAndMemoryAreRecordedWhenAsked() {
    Tensor tensor = Tensor.of(new double[6], 2, 3);
    Profile shapes =
        profiled(
            () -> {
              alice.rpc().sync("bob", ProfiledCalls::same, tensor, "x");
              alice.rpc().sync("bob", ProfiledCalls::scoped, 1);
            },
            Detail.SHAPES);
    assertThat(shapes.events().get(0).shapes()).containsExactly("[2, 3]", "");
    assertThat(shapes.events())
        .filteredOn(e -> e.kind() == Event.Kind.FUNCTION || e.kind() == Event.Kind.OPERATION)
        .extracting(Event::shapes)
        .containsExactly(List.of("[2, 3]", ""), List.of(""), List.of("[2, 3]"));

    int size = 1 << 20;
    Profile memory =
        profiled(() -> alice.rpc().sync("bob", ProfiledCalls::allocating, size), Detail.MEMORY);
    assertThat(only(memory, Event.Kind.FUNCTION, "bob").allocatedBytes())
        .isGreaterThanOrEqualTo(size);
    assertThat(memory.events()).allSatisfy(event -> assertThat(event.shapes()).isEmpty());
  }

  @Test
  void devicesAreRecordedWhenAsked() {
    Tensor tensor = Tensor.of(new double[6], 2, 3);
    Profile devices =
        profiled(() -> alice.rpc().sync("bob", ProfiledCalls::same, tensor, "x"), Detail.DEVICES);
    assertThat(devices.events()).extracting(Event::shapes).contains(List.of("@cpu", ""));
    assertThat(devices.events()).extracting(Event::deviceNanos).containsOnly(0L);
    Profile both =
        profiled(
            () -> alice.rpc().sync("bob", ProfiledCalls::same, tensor, "x"),
            Detail.SHAPES,
            Detail.DEVICES);
    assertThat(only(both, Event.Kind.FUNCTION, "bob").shapes()).containsExactly("[2, 3]@cpu", "");
  }

  @Test
  void failedCallHasItsStatus() {
    Profile profile =
        profiled(
            () ->
                assertThatThrownBy(() -> alice.rpc().sync("bob", ProfiledCalls::failing))
                    .hasMessageContaining("no result today"));
    assertThat(profile.events()).hasSize(1); // What the callee saw went with the reply.
    assertThat(profile.events().get(0).failure()).isEqualTo(Status.USER_ERROR);
  }

  @Test
  void outstandingCallEndsAfterClose() {
    CompletableFuture<String> call;
    Profile profile = Profiler.of(alice).start();
    try (profile) {
      call = alice.rpc().async("bob", Function.async(ProfiledCalls::neverEnding), "profile.late");
      assertThatThrownBy(() -> profile.await(Duration.ofMillis(20)))
          .isInstanceOf(GridException.class)
          .hasMessageContaining("1 recorded call");
      assertThat(profile.events()).isEmpty();
    }
    Signals.named("profile.late").answer.complete("late");
    assertThat(call.join()).isEqualTo("late");
    profile.await(DEADLINE);
    assertThat(profile.events()).hasSize(2);
  }

  @Test
  void innerProfileHasItsPart() {
    Profiler profiler = Profiler.of(alice);
    Profile outer = profiler.start();
    Profile inner;
    try (outer) {
      alice.rpc().sync("bob", ProfiledCalls::scoped, 1);
      inner = profiler.start();
      try (inner) {
        alice.rpc().sync("bob", ProfiledCalls::add, 1.0, 1.0);
      }
      assertThat(profiler.start()).satisfies(Profile::close);
    }
    assertThat(inner.events()).extracting(Event::worker).containsExactly("alice", "bob");
    assertThat(outer.events()).containsAll(inner.events()).hasSize(6);
  }

  @Test
  void profileMayBeClosedByAnotherThread() throws InterruptedException {
    Profile profile = Profiler.of(alice).start();
    Thread closer = new Thread(profile::close);
    closer.start();
    closer.join();
    alice.rpc().sync("bob", ProfiledCalls::add, 1.0, 1.0);
    assertThat(profile.events()).isEmpty();
    profiled(() -> {}); // This thread's mark goes with its next profile.
  }

  @Test
  void threadsAreRecordedSeparately() throws InterruptedException {
    Profile profile =
        profiled(
            () -> {
              Thread other =
                  new Thread(() -> alice.rpc().sync("bob", ProfiledCalls::add, 1.0, 1.0));
              other.start();
              try {
                other.join();
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
            });
    assertThat(profile.events()).isEmpty();
  }

  @Test
  void concurrentCallsHaveSeparateEvents() {
    Profile profile =
        profiled(
            () ->
                CompletableFuture.allOf(
                        IntStream.range(0, 50)
                            .mapToObj(
                                i ->
                                    alice
                                        .rpc()
                                        .async(
                                            i % 2 == 0 ? "bob" : "carol", ProfiledCalls::scoped, 2))
                            .toArray(CompletableFuture<?>[]::new))
                    .join());
    List<Event> events = profile.events();
    assertThat(events).extracting(Event::id).doesNotHaveDuplicates().hasSize(50 * 5);
    for (Event function : events) {
      if (function.kind() == Event.Kind.FUNCTION) {
        Event call =
            events.stream().filter(e -> e.id().equals(function.parent())).findFirst().orElseThrow();
        assertThat(function.key()).isEqualTo(call.name()).contains("-> " + function.worker());
        assertThat(function.startNanos()).isBetween(call.startNanos(), call.endNanos());
      }
    }
    assertThat(profile.summary()).extracting(Profile.Summary::count).contains(25L, 50L);
  }

  @Test
  void workerIsRecordedInNestedProfiles() {
    Profiler profiler = Profiler.of(bob);
    Profile outer = profiler.startWorker();
    Profile inner;
    try (outer) {
      alice.rpc().sync("bob", ProfiledCalls::add, 1.0, 1.0);
      inner = profiler.startWorker();
      try (inner) {
        alice.rpc().sync("bob", ProfiledCalls::addOn, "carol", 1.0, 1.0);
      }
    }
    assertThat(inner.events())
        .filteredOn(e -> e.kind() == Event.Kind.FUNCTION)
        .extracting(Event::worker)
        .containsExactly("bob", "carol");
    assertThat(outer.events()).containsAll(inner.events()).hasSize(inner.events().size() + 1);
  }
}
