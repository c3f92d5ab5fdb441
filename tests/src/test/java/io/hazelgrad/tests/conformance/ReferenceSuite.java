package io.hazelgrad.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.tests.PeerTest;
import io.hazelgrad.tests.WorkersOnly;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests of remote references: creation, arguments and results, calls, and their properties. */
@RemoteFunctions
class ReferenceSuite extends PeerSuite {
  private static final Function<Tensor> ADD = Function.operator("add");

  /** Object with a state. */
  @RemoteFunctions
  static final class Counter {
    private int count;

    Counter(int count) {
      this.count = count;
    }

    synchronized int add(int more) {
      count += more;
      return count;
    }

    synchronized int get() {
      return count;
    }

    static int twice(int value) {
      return 2 * value;
    }
  }

  static int plus(int a, int b) {
    return a + b;
  }

  static int plusRead(RRef<Integer> rref, int more) {
    return rref.toHere() + more;
  }

  static int sumOf(RRef<Integer> one, RRef<Integer> other) {
    return one.toHere() + other.toHere();
  }

  private static Tensor ones(int rows) {
    return Tensor.of(filled(rows, 1), rows);
  }

  private static double[] filled(int size, double value) {
    double[] values = new double[size];
    Arrays.fill(values, value);
    return values;
  }

  // ---- Creation on the worker itself and on others ----

  @Test
  @PeerTest("test_self_py_udf_remote")
  @WorkersOnly
  void functionCreatesObjectOnSelf() {
    try (RRef<Integer> rref = rrefs().remote(self(), ReferenceSuite::plus, 1, 3)) {
      assertThat(rref.toHere()).isEqualTo(4);
    }
  }

  @Test
  @PeerTest("test_py_udf_remote")
  void functionCreatesObjectOnWorker() {
    try (RRef<Integer> rref = rrefs().remote(dst(), ReferenceSuite::plus, 1, 3)) {
      assertThat(rref.toHere()).isEqualTo(4);
    }
  }

  @Test
  @PeerTest("test_multi_py_udf_remote")
  void functionsCreateTenObjectsOnWorker() {
    List<RRef<Integer>> rrefs = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      rrefs.add(rrefs().remote(dst(), ReferenceSuite::plus, i, i));
    }
    for (int i = 0; i < 10; i++) {
      assertThat(rrefs.get(i).toHere()).isEqualTo(2 * i);
    }
  }

  @Test
  @PeerTest("test_builtin_remote_ret")
  void operatorCreatesObjectOnWorker() {
    try (RRef<Tensor> rref = rrefs().remote(dst(), ADD, ones(3), ones(3))) {
      assertThat(rref.toHere().toDoubles()).containsExactly(filled(3, 2));
    }
  }

  @Test
  @PeerTest("test_builtin_remote_self")
  @WorkersOnly
  void operatorCreatesObjectOnSelf() {
    try (RRef<Tensor> rref = rrefs().remote(self(), ADD, ones(3), ones(3))) {
      assertThat(rref.localValue().toDoubles()).containsExactly(filled(3, 2));
    }
  }

  @Test
  @PeerTest("test_multi_builtin_remote_ret")
  void operatorsCreateTenObjectsOnWorker() {
    List<RRef<Tensor>> rrefs = new ArrayList<>();
    for (int i = 1; i <= 10; i++) {
      rrefs.add(rrefs().remote(dst(), ADD, ones(i), ones(i)));
    }
    for (int i = 1; i <= 10; i++) {
      assertThat(rrefs.get(i - 1).toHere().toDoubles()).containsExactly(filled(i, 2));
    }
  }

  @Test
  @PeerTest("test_remote_same_worker")
  void creationTakesReferencesToObjectsOfItsOwner() {
    try (RRef<Integer> one = rrefs().remote(dst(), ReferenceSuite::plus, 1, 1);
        RRef<Integer> other = rrefs().remote(dst(), ReferenceSuite::plus, 2, 2);
        RRef<Integer> sum = rrefs().remote(dst(), ReferenceSuite::sumOf, one, other)) {
      assertThat(sum.toHere()).isEqualTo(6);
    }
  }

  static int madeAndRead(String on) {
    try (RRef<Integer> rref = rrefs().remote(on, ReferenceSuite::plus, 1, 3)) {
      return rref.toHere();
    }
  }

  @Test
  @PeerTest("test_nested_remote")
  void creationCreatesAndReadsObjectOnThirdWorker() {
    try (RRef<Integer> rref = rrefs().remote(dst(), ReferenceSuite::madeAndRead, dst(2))) {
      assertThat(rref.toHere()).isEqualTo(4);
    }
  }

  @Test
  @PeerTest("test_rref_get_future")
  void creationFutureCompletesAndConfirmsReference() {
    try (RRef<Tensor> ofOperator = rrefs().remote(dst(), ADD, ones(1), ones(1));
        RRef<Integer> ofFunction = rrefs().remote(dst(), ReferenceSuite::plus, 1, 1)) {
      for (RRef<?> rref : List.of(ofOperator, ofFunction)) {
        Rpc.await(rref.creation());
        assertThat(rref.isConfirmed()).isTrue();
      }
    }
  }

  // ---- As arguments and results ----

  @Test
  @PeerTest("test_self_remote_rref_as_rpc_arg")
  @WorkersOnly
  void referenceToOwnObjectTravelsToCallee() {
    ownAsRpcArgument(dst());
  }

  @Test
  @PeerTest("test_self_remote_rref_as_self_rpc_arg")
  @WorkersOnly
  void referenceToOwnObjectTravelsToSelf() {
    ownAsRpcArgument(self());
  }

  private static void ownAsRpcArgument(String to) {
    try (RRef<Integer> own = rrefs().remote(self(), ReferenceSuite::plus, 1, 3)) {
      CompletableFuture<Integer> later = rpc().async(to, ReferenceSuite::plusRead, own, 3);
      assertThat(rpc().sync(to, ReferenceSuite::plusRead, own, 4)).isEqualTo(8);
      assertThat(Rpc.await(later)).isEqualTo(7);
    }
  }

  @Test
  @PeerTest("test_self_remote_rref_as_remote_arg")
  @WorkersOnly
  void referenceToOwnObjectTravelsWithCreation() {
    ownAsRemoteArgument(dst());
  }

  @Test
  @PeerTest("test_self_remote_rref_as_self_remote_arg")
  @WorkersOnly
  void referenceToOwnObjectTravelsWithCreationOnSelf() {
    ownAsRemoteArgument(self());
  }

  private static void ownAsRemoteArgument(String to) {
    try (RRef<Integer> own = rrefs().remote(self(), ReferenceSuite::plus, 1, 3);
        RRef<Integer> result = rrefs().remote(to, ReferenceSuite::plusRead, own, 3)) {
      assertThat(result.toHere()).isEqualTo(7);
    }
  }

  @Test
  @PeerTest("test_pass_local_rrefs")
  @WorkersOnly
  void referenceToLocalObjectTravelsThreeWays() {
    try (RRef<Integer> local = rrefs().local(40)) {
      threeWays(dst(), Function.of(ReferenceSuite::plusRead), is(90), local, 50);
    }
  }

  @Test
  @PeerTest("test_py_rref_args")
  void referencesTravelToTheirOwner() {
    try (RRef<Integer> one = rrefs().remote(dst(), ReferenceSuite::plus, 1, 2);
        RRef<Integer> other = rrefs().remote(dst(), ReferenceSuite::plus, 3, 4);
        RRef<Integer> sum = rrefs().remote(dst(), ReferenceSuite::sumOf, one, other)) {
      assertThat(sum.toHere()).isEqualTo(10);
    }
  }

  @Test
  @PeerTest("test_py_rref_args_user_share")
  void referencesTravelToThirdWorker() {
    try (RRef<Integer> one = rrefs().remote(dst(), ReferenceSuite::plus, 1, 2);
        RRef<Integer> other = rrefs().remote(dst(), ReferenceSuite::plus, 3, 4);
        RRef<Integer> sum = rrefs().remote(dst(2), ReferenceSuite::sumOf, one, other)) {
      assertThat(sum.toHere()).isEqualTo(10);
    }
  }

  @Test
  @PeerTest("test_py_rpc_rref_args")
  void referencesTravelWithCall() {
    try (RRef<Integer> one = rrefs().remote(dst(), ReferenceSuite::plus, 1, 2);
        RRef<Integer> other = rrefs().remote(dst(), ReferenceSuite::plus, 3, 4)) {
      assertThat(rpc().sync(dst(), ReferenceSuite::sumOf, one, other)).isEqualTo(10);
    }
  }

  static List<RRef<Integer>> pairOn(String worker) {
    return List.of(
        rrefs().remote(worker, ReferenceSuite::plus, 1, 2),
        rrefs().remote(worker, ReferenceSuite::plus, 3, 4));
  }

  @Test
  @PeerTest("test_nested_rref")
  void objectHoldsReferencesToThirdWorker() {
    try (RRef<List<RRef<Integer>>> pair = rrefs().remote(dst(), ReferenceSuite::pairOn, dst(2))) {
      isThePair(pair.toHere());
    }
  }

  @Test
  @PeerTest("test_nested_rref_stress")
  void twentyObjectsHoldReferencesToThirdWorker() {
    List<RRef<List<RRef<Integer>>>> pairs = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      pairs.add(rrefs().remote(dst(), ReferenceSuite::pairOn, dst(2)));
    }
    pairs.forEach(pair -> isThePair(pair.toHere()));
  }

  private static void isThePair(List<RRef<Integer>> pair) {
    assertThat(pair).extracting(RRef::toHere).containsExactly(3, 7);
    assertThat(pair).extracting(rref -> rref.owner().name()).containsOnly(dst(2));
  }

  static RRef<Integer> madeOn(String worker) {
    return rrefs().remote(worker, ReferenceSuite::plus, 1, 3);
  }

  @Test
  @PeerTest("test_rpc_return_rref")
  void callReturnsReference() {
    try (RRef<Integer> rref = rpc().sync(dst(), ReferenceSuite::madeOn, dst(2))) {
      assertThat(rref.toHere()).isEqualTo(4);
    }
  }

  /** Sends a reference on several times; each worker keeps it inside an object of its own. */
  static List<RRef<?>> forward(RRef<?> rref, int hops) {
    Function<List<RRef<?>>> next =
        Function.named(ReferenceSuite.class, "forward", RRef.class, int.class);
    return hops == 0 ? List.of(rref) : List.of(rrefs().remote(dst(), next, rref, hops - 1));
  }

  @Test
  @PeerTest("test_rref_forward_chain")
  @WorkersOnly
  void referenceReadsAfterEightForwards() {
    int hops = 8;
    try (RRef<Integer> rref = rrefs().local(42)) {
      List<RRef<?>> wrapped = forward(rref, hops);
      for (int i = 0; i < hops; i++) {
        assertThat(wrapped).hasSize(1);
        Object inner = wrapped.get(0).toHere();
        wrapped = ((List<?>) inner).stream().<RRef<?>>map(one -> (RRef<?>) one).toList();
      }
      assertThat(wrapped.get(0).toHere()).isEqualTo(42);
    }
  }

  static List<RRef<Counter>> ownCounters() {
    return List.of(
        rrefs().local(new Counter(1)),
        rrefs().local(new Counter(2)),
        rrefs().local(new Counter(3)));
  }

  @Test
  @PeerTest("test_return_local_rrefs")
  void callReturnsReferencesToLocalObjects() {
    List<RRef<Counter>> counters = rpc().sync(dst(), ReferenceSuite::ownCounters);
    counters.forEach(counter -> assertThat(counter.sync(Counter::add, 10)).isGreaterThan(10));
    assertThat(counters)
        .extracting(counter -> counter.sync(Counter::get))
        .containsExactly(11, 12, 13);
  }

  static int addTo(RRef<Counter> counter, int more) {
    return counter.localValue().add(more);
  }

  @Test
  @PeerTest("test_call_method_on_rref")
  void calleeUsesLocalValueOfReference() {
    try (RRef<Counter> counter = rrefs().remote(dst(), Counter::new, 0)) {
      for (int more : new int[] {10, 20, 30}) {
        Function<Integer> add = Function.of(ReferenceSuite::addTo);
        assertThat(rpc().sync(counter.owner(), add, counter, more)).isPositive();
      }
      assertThat(counter.sync(Counter::get)).isEqualTo(60);
    }
  }

  // ---- Calls through a reference ----

  @Test
  @PeerTest("test_rref_proxy_non_exist")
  void callThroughReferenceFailsWhenMethodDoesNotExist() {
    try (RRef<Counter> counter = rrefs().remote(dst(), Counter::new, 0)) {
      fails(
          Status.UNKNOWN_FUNCTION,
          "nonExist",
          () -> counter.sync(Function.<Integer>named(Counter.class, "nonExist")));
    }
  }

  @Test
  @PeerTest("test_rref_proxy_tensor")
  void callsThroughReferenceUseTensor() {
    tensorThroughReference(dst());
  }

  @Test
  @PeerTest("test_rref_proxy_tensor_self")
  @WorkersOnly
  void callsThroughReferenceUseTensorOnSelf() {
    tensorThroughReference(self());
  }

  static int elements(Tensor tensor) {
    return tensor.toDoubles().length;
  }

  static Tensor reshaped(Tensor tensor, int rows) {
    return tensor.reshape(rows, elements(tensor) / rows);
  }

  private static void tensorThroughReference(String owner) {
    try (RRef<Tensor> rref = rrefs().remote(owner, ADD, ones(6), ones(6))) {
      assertThat(rref.sync(ReferenceSuite::elements)).isEqualTo(6);
      assertThat(Rpc.await(rref.async(ADD, ones(6))).toDoubles()).containsExactly(filled(6, 3));
      try (RRef<Tensor> matrix = rref.remote(ReferenceSuite::reshaped, 2)) {
        assertThat(matrix.toHere().shape()).containsExactly(2, 3);
      }
    }
  }

  @Test
  @PeerTest("test_rref_proxy_reuse")
  void callsThroughReferenceKeepTheirDeadline() {
    try (RRef<Counter> counter = rrefs().remote(dst(), Counter::new, 0)) {
      RRef<Counter> patient = counter.within(Duration.ofSeconds(30));
      for (int i = 1; i <= 10; i++) {
        assertThat(patient.sync(Counter::add, 1)).isEqualTo(i);
      }
    }
  }

  @Test
  @PeerTest("test_rref_proxy_class")
  void callsThroughReferenceUseObject() {
    objectThroughReference(dst());
  }

  @Test
  @PeerTest("test_rref_proxy_class_self")
  @WorkersOnly
  void callsThroughReferenceUseObjectOnSelf() {
    objectThroughReference(self());
  }

  private static void objectThroughReference(String owner) {
    try (RRef<Counter> counter = rrefs().remote(owner, Counter::new, 7)) {
      assertThat(counter.sync(Counter::add, 1)).isEqualTo(8);
      assertThat(Rpc.await(counter.async(Counter::add, 1))).isEqualTo(9);
      try (RRef<Integer> ten = counter.remote(Counter::add, 1)) {
        assertThat(ten.toHere()).isEqualTo(10);
      }
      assertThat(counter.sync(Counter::get)).isEqualTo(10);
      assertThat(rpc().sync(owner, Counter::twice, 5)).isEqualTo(10);
    }
  }

  // ---- Properties ----

  @Test
  @PeerTest("test_local_rref_no_fork")
  @WorkersOnly
  void localValueIsReadByOwner() {
    try (RRef<Integer> local = rrefs().local(35)) {
      assertThat(local.localValue()).isEqualTo(35);
    }
  }

  @Test
  @PeerTest("test_local_value_not_on_owner")
  void localValueIsRefusedWhenNotOwner() {
    try (RRef<Integer> rref = rrefs().remote(dst(), ReferenceSuite::plus, 1, 1)) {
      assertThat(fails(Status.RREF_NOT_OWNER, rref.id().toString(), rref::localValue))
          .hasMessageContaining("owner " + dst())
          .hasMessageContaining(self());
    }
  }

  @Test
  @PeerTest("test_rref_str")
  @WorkersOnly
  void textNamesIdAndOwner() {
    try (RRef<Integer> own = rrefs().local(1);
        RRef<Integer> users = rrefs().remote(dst(), ReferenceSuite::plus, 1, 1)) {
      assertThat(own).asString().startsWith("RRef(rref ").endsWith("owner " + self() + ")");
      assertThat(users).asString().contains(users.id().toString()).endsWith(dst() + ")");
    }
  }

  @Test
  @PeerTest("test_owner_equality")
  void ownersAreEqualWhenWorkerIsTheSame() {
    try (RRef<Integer> one = rrefs().remote(dst(), ReferenceSuite::plus, 1, 1);
        RRef<Integer> same = rrefs().remote(dst(), ReferenceSuite::plus, 1, 1);
        RRef<Integer> other = rrefs().remote(dst(2), ReferenceSuite::plus, 1, 1)) {
      assertThat(one.owner()).isEqualTo(same.owner()).isNotEqualTo(other.owner());
      Map<Worker, Integer> map = new HashMap<>();
      map.put(one.owner(), 1);
      map.put(other.owner(), 2);
      assertThat(map).containsEntry(same.owner(), 1).hasSize(2);
    }
  }
}
