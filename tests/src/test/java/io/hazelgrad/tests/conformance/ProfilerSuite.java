package io.hazelgrad.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.profile.Detail;
import io.hazelgrad.grid.profile.Event;
import io.hazelgrad.grid.profile.Profile;
import io.hazelgrad.grid.profile.Profiler;
import io.hazelgrad.grid.profile.WorkerProfile;
import io.hazelgrad.grid.spi.Trace;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.tests.PeerTest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Tests of the profiler. */
@RemoteFunctions
class ProfilerSuite extends PeerSuite {
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final Function<Tensor> ADD = Function.operator("add");
  private static final Function<Tensor> MUL = Function.operator("mul");
  private static final String REMOTE = "#remote_op: ";
  private static final Tensor ONES = Tensor.of(new double[] {1, 1, 1, 1, 1, 1}, 2, 3);

  /** Way of calling. */
  private enum Mode {
    SYNC,
    ASYNC,
    REMOTE
  }

  // ---- Functions that are called ----

  static Tensor udf(Tensor a, Tensor b) {
    Variable sum = Variable.of(a).add(Variable.of(b));
    return sum.mul(Variable.of(b)).value();
  }

  static Tensor scopedUdf(Tensor a, Tensor b) {
    Trace.Span scope = Profiler.scope("foo");
    try {
      return udf(a, b);
    } finally {
      scope.close();
    }
  }

  static Tensor addOperator(Tensor a, Tensor b) {
    return Variable.of(a).add(Variable.of(b)).value();
  }

  static CompletionStage<Tensor> addOnAnother(String to, Tensor a, Tensor b) {
    return rpc().async(to, ADD, a, b);
  }

  // ---- Common parts of the tests ----

  private static Profile profiled(Runnable work, Detail... details) {
    Profile profile = driver().service(Profiler.class).start(details);
    try (profile) {
      work.run();
      profile.await(DEADLINE);
    }
    return profile;
  }

  private static String key(String mode, Object function, String to) {
    return "rpc_" + mode + "#" + function + "(" + self() + " -> " + to + ")";
  }

  private static List<Event> named(Profile profile, String name) {
    return profile.events().stream().filter(event -> event.name().equals(name)).toList();
  }

  private static Event only(Profile profile, String name) {
    List<Event> found = named(profile, name);
    assertThat(found).as("%s in %s", name, profile.summary()).hasSize(1);
    return found.get(0);
  }

  private static Set<String> operations(List<Event> events) {
    return events.stream()
        .filter(event -> event.kind() == Event.Kind.OPERATION)
        .map(Event::operation)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /**
   * Calls in one way within an outer scope, to the next worker and to the worker itself, and checks
   * the profile.
   */
  private static void assertProfiled(Mode mode, Function<Tensor> function, Set<String> operations) {
    for (String to : destinations()) {
      Profile profile =
          profiled(
              () -> {
                Trace.Span outer = Profiler.scope("outer");
                call(mode, to, function);
                outer.close();
              });
      String name = key(mode.name().toLowerCase(java.util.Locale.ROOT), function, to);
      Event call = only(profile, name);
      Event outer = only(profile, "outer");
      assertThat(call.id().worker()).isEqualTo(driver().self().id());
      assertThat(call.parent()).isEqualTo(outer.id());
      assertThat(outer.startNanos()).isLessThanOrEqualTo(call.startNanos());
      assertThat(outer.endNanos()).isGreaterThanOrEqualTo(call.endNanos());
      List<Event> remote =
          profile.events().stream().filter(event -> event.key().equals(name)).toList();
      assertThat(remote)
          .allSatisfy(event -> assertThat(event.worker()).isEqualTo(to))
          .allSatisfy(event -> assertThat(event.id().worker()).isEqualTo(driver().worker(to).id()));
      assertThat(operations(remote)).isEqualTo(operations);
    }
  }

  private static void call(Mode mode, String to, Function<Tensor> function) {
    switch (mode) {
      case SYNC -> rpc().sync(to, function, ONES, ONES);
      case ASYNC -> Rpc.await(rpc().async(to, function, ONES, ONES));
      case REMOTE -> {
        try (RRef<Tensor> rref = rrefs().remote(to, function, ONES, ONES)) {
          Rpc.await(rref.creation());
          assertThat(rref.toHere()).isNotNull();
        }
      }
    }
  }

  private static final Function<Tensor> UDF =
      Function.named(ProfilerSuite.class, "udf", Tensor.class, Tensor.class);

  @Test
  @PeerTest({"test_profiler_with_sync_rpc_udf", "test_profiler_with_script_sync_rpc"})
  void profileHasSyncCallOfFunction() {
    assertProfiled(Mode.SYNC, UDF, Set.of("add", "mul"));
  }

  @Test
  @PeerTest("test_profiler_with_sync_rpc_builtin")
  void profileHasSyncCallOfOperator() {
    assertProfiled(Mode.SYNC, MUL, Set.of("mul"));
  }

  @Test
  @PeerTest({"test_profiler_with_async_rpc_udf", "test_profiler_with_script_async_rpc"})
  void profileHasAsyncCallOfFunction() {
    assertProfiled(Mode.ASYNC, UDF, Set.of("add", "mul"));
  }

  @Test
  @PeerTest("test_profiler_with_async_rpc_builtin")
  void profileHasAsyncCallOfOperator() {
    assertProfiled(Mode.ASYNC, MUL, Set.of("mul"));
  }

  @Test
  @PeerTest({"test_profiler_with_remote_udf", "test_profiler_with_script_remote_rpc"})
  void profileHasCreationByFunction() {
    assertProfiled(Mode.REMOTE, UDF, Set.of("add", "mul"));
  }

  @Test
  @PeerTest("test_profiler_with_remote_builtin")
  void profileHasCreationByOperator() {
    assertProfiled(Mode.REMOTE, MUL, Set.of("mul"));
  }

  @Test
  @PeerTest("test_build_rpc_profiling_key")
  void keyNamesModeFunctionAndWorkers() {
    Profile profile =
        profiled(
            () -> {
              for (Mode mode : Mode.values()) {
                call(mode, dst(), ADD);
              }
            });
    for (String mode : List.of("sync", "async", "remote")) {
      assertThat(only(profile, key(mode, ADD, dst())).name()).contains(mode, "add", self(), dst());
    }
  }

  @Test
  @PeerTest("test_profiler_rpc_record_shapes")
  void profileHasShapesWhenAsked() {
    Profile local = profiled(() -> addOperator(ONES, ONES), Detail.SHAPES);
    Profile remote = profiled(() -> rpc().sync(dst(), ADD, ONES, ONES), Detail.SHAPES);
    List<String> shapes = only(local, "add").shapes();
    assertThat(shapes).containsExactly("[2, 3]", "[2, 3]");
    assertThat(named(remote, key("sync", ADD, dst()) + REMOTE + "add"))
        .filteredOn(event -> event.kind() == Event.Kind.OPERATION)
        .singleElement()
        .extracting(Event::shapes)
        .isEqualTo(shapes);
    assertThat(only(remote, key("sync", ADD, dst())).shapes()).isEqualTo(shapes);
  }

  @Test
  @PeerTest("test_profiler_rpc_memory")
  void profileHasMemoryWhenAsked() {
    Profile with = profiled(() -> rpc().sync(dst(), UDF, ONES, ONES), Detail.MEMORY);
    assertThat(with.events()).filteredOn(Event::isRemote).isNotEmpty();
    assertThat(with.events())
        .filteredOn(Event::isRemote)
        .allSatisfy(event -> assertThat(event.allocatedBytes()).isPositive());
    Profile without = profiled(() -> rpc().sync(dst(), UDF, ONES, ONES));
    assertThat(without.events())
        .allSatisfy(event -> assertThat(event.allocatedBytes()).isNegative());
  }

  @Test
  @PeerTest("test_profiler_export_trace")
  void traceHasEventsOfBothWorkers() throws IOException {
    Profile profile =
        profiled(
            () -> {
              call(Mode.SYNC, dst(), UDF);
              call(Mode.ASYNC, dst(), UDF);
            });
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    profile.writeTrace(out);
    List<String> names = new ArrayList<>();
    Set<Long> processes = new TreeSet<>();
    for (JsonNode event : new ObjectMapper().readTree(out.toByteArray()).get("traceEvents")) {
      names.add(event.get("name").asText());
      processes.add(event.get("pid").asLong());
    }
    for (String mode : List.of("sync", "async")) {
      String key = key(mode, UDF, dst());
      assertThat(names).contains(key, key + REMOTE + "add", key + REMOTE + "mul");
    }
    assertThat(processes)
        .containsExactlyInAnyOrder(driver().self().id(), driver().worker(dst()).id());
  }

  @Test
  @PeerTest("test_profiler_rpc_key_names")
  void keysDistinguishCallsToThreeWorkers() {
    List<String> others = List.of(dst(1), dst(2), dst(3));
    Profile profile =
        profiled(
            () -> {
              List<CompletableFuture<Tensor>> calls = new ArrayList<>();
              for (String to : others) {
                calls.add(rpc().async(to, UDF, ONES, ONES));
                calls.add(rpc().async(to, ADD, ONES, ONES));
              }
              calls.forEach(Rpc::await);
            });
    for (String to : others) {
      for (Object function : List.of(UDF, ADD)) {
        String key = key("async", function, to);
        Event call = only(profile, key);
        List<Event> remote =
            profile.events().stream().filter(event -> event.key().equals(key)).toList();
        assertThat(remote)
            .isNotEmpty()
            .allSatisfy(
                event -> assertThat(event.id().worker()).isEqualTo(driver().worker(to).id()));
        assertThat(remote)
            .filteredOn(event -> event.kind() == Event.Kind.FUNCTION)
            .singleElement()
            .extracting(Event::parent)
            .isEqualTo(call.id());
      }
    }
  }

  @Test
  @PeerTest("test_profiler_remote_events_profiled")
  void profileHasEventsOfCallee() {
    Profile profile = profiled(() -> call(Mode.SYNC, dst(), UDF));
    String key = key("sync", UDF, dst());
    assertThat(profile.events().stream().filter(Event::isRemote).map(Event::name).toList())
        .containsExactlyInAnyOrder(key + REMOTE + UDF, key + REMOTE + "add", key + REMOTE + "mul");
  }

  @Test
  @PeerTest("test_rpc_profiling_async_function")
  void profileHasNestedCallOfAsyncFunction() {
    Function<Tensor> function = Function.async(ProfilerSuite::addOnAnother);
    String b = dst(1);
    String c = dst(2);
    Profile profile = profiled(() -> Rpc.await(rpc().async(b, function, c, ONES, ONES)));
    String outer = key("async", function, b);
    String inner = outer + REMOTE + "rpc_async#" + ADD + "(" + b + " -> " + c + ")";
    assertThat(only(profile, inner).worker()).isEqualTo(b);
    assertThat(named(profile, inner + REMOTE + "add"))
        .isNotEmpty()
        .allSatisfy(event -> assertThat(event.worker()).isEqualTo(c));
  }

  @Test
  @PeerTest("test_rpc_profiling_remote_record_function")
  void profileHasScopeOfCallee() {
    Profile local = profiled(() -> scopedUdf(ONES, ONES));
    Event localScope = only(local, "foo");
    Function<Tensor> function = Function.of(ProfilerSuite::scopedUdf);
    for (String to : List.of(dst(1), dst(2))) {
      Profile remote = profiled(() -> rpc().sync(to, function, ONES, ONES));
      Event scope = only(remote, key("sync", function, to) + REMOTE + "foo");
      assertThat(children(remote, scope)).isEqualTo(children(local, localScope)).hasSize(2);
    }
  }

  private static List<String> children(Profile profile, Event of) {
    return profile.events().stream()
        .filter(event -> of.id().equals(event.parent()))
        .map(Event::operation)
        .toList();
  }

  @Test
  @PeerTest("test_profiler_with_autograd_context")
  void profileWorksInsideAndAroundContext() {
    Autograd autograd = Autograd.on(access());
    Profile outside =
        profiled(
            () -> {
              try (Context context = autograd.open()) {
                trainOnce(context);
              }
            });
    assertThat(only(outside, key("sync", MUL, dst()))).isNotNull();
    try (Context context = autograd.open()) {
      Profile inside = profiled(() -> trainOnce(context));
      assertThat(only(inside, key("sync", MUL, dst()))).isNotNull();
      assertThat(operations(inside.events())).contains("mul");
    }
  }

  private static void trainOnce(Context context) {
    Variable x = Variable.parameter(ONES);
    Variable y = rpc().sync(dst(), Function.<Variable>operator("mul"), x, x);
    context.backward(y.sum());
    assertThat(context.gradient(x)).isNotNull();
  }

  @Test
  @PeerTest("test_server_process_global_profiler")
  void workerProfilesNest() {
    Function<Tensor> sub = Function.operator("sub");
    try (RRef<WorkerProfile> outer = rrefs().remote(dst(), WorkerProfile::start)) {
      Rpc.await(outer.creation());
      rpc().sync(dst(), ADD, ONES, ONES);
      try (RRef<WorkerProfile> inner = rrefs().remote(dst(), WorkerProfile::start)) {
        Rpc.await(inner.creation());
        rpc().sync(dst(), sub, ONES, ONES);
        assertThat(operations(mine(inner.sync(WorkerProfile::stop)))).isEqualTo(Set.of("sub"));
      }
      assertThat(operations(mine(outer.sync(WorkerProfile::stop)))).isEqualTo(Set.of("add", "sub"));
    }
  }

  /**
   * Returns the events of the server's own work for others. The server runs this test too, and so
   * calls others itself.
   */
  private static List<Event> mine(List<Event> events) {
    return events.stream().filter(event -> !event.isRemote()).toList();
  }

  @Test
  @PeerTest("test_async_record_function_double_end_callbacks")
  void scopeIsRecordedOnceWhenClosedTwice() {
    Profile profile =
        profiled(
            () -> {
              Trace.Span scope = Profiler.scope("foo");
              scope.close();
              scope.close(); // The second call has no effect.
            });
    assertThat(profile.events()).hasSize(1);
  }

  @Test
  @PeerTest("test_async_record_function_legacy")
  void callReturnsResultDuringProfile() {
    profiled(
        () -> {
          CompletableFuture<Tensor> call = rpc().async(dst(), ADD, ONES, ONES);
          assertThat(call.join()).isEqualTo(addOperator(ONES, ONES));
        });
  }
}
