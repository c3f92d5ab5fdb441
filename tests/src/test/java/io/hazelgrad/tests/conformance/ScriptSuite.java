package io.hazelgrad.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.tests.PeerTest;
import io.hazelgrad.tests.WorkersOnly;
import java.io.ByteArrayOutputStream;
import java.io.NotSerializableException;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/**
 * The peer's tests of compiled TorchScript. Java is compiled and typed throughout, so these are the
 * same cases with typed references, interfaces, overloads and forked tasks.
 */
@RemoteFunctions
class ScriptSuite extends PeerSuite {
  /** Interface of objects on any worker. */
  @RemoteFunctions
  interface Summing {
    int sum();
  }

  /** Object that holds references as long as it lives, and cannot travel itself. */
  @RemoteFunctions
  static final class Holder implements Summing, AutoCloseable {
    private final List<RRef<Integer>> parts;

    Holder(List<RRef<Integer>> parts) {
      this.parts = new ArrayList<>(parts);
      this.parts.forEach(RRef::keep);
    }

    @Override
    public int sum() {
      return parts.stream().mapToInt(RRef::toHere).sum();
    }

    @Override
    public void close() {
      parts.forEach(RRef::close);
    }
  }

  static int five() {
    return 5;
  }

  static int local(RRef<Integer> rref) {
    return rref.localValue();
  }

  @Test
  @PeerTest("test_rref_is_owner")
  void referenceNamesItsOwner() {
    try (RRef<Integer> rref = rrefs().remote(dst(), ScriptSuite::five)) {
      assertThat(rref.isOwner()).isFalse();
      assertThat(rref.owner().name()).isEqualTo(dst());
    }
  }

  @Test
  @PeerTest("test_rref_local_value")
  void localValueIsReadOnOwnerOnly() {
    try (RRef<Integer> rref = rrefs().remote(dst(), ScriptSuite::five)) {
      fails(Status.RREF_NOT_OWNER, rref.id().toString(), rref::localValue);
      assertThat(rpc().sync(dst(), ScriptSuite::local, rref)).isEqualTo(5);
    }
  }

  @Test
  @PeerTest("test_local_rref_local_value")
  @WorkersOnly
  void localValueIsReadAfterCreationOnSelf() {
    try (RRef<Integer> rref = rrefs().remote(self(), ScriptSuite::five)) {
      assertThat(rref.localValue()).isEqualTo(5);
    }
  }

  static boolean confirmed(RRef<Integer> rref) {
    return rref.isConfirmed();
  }

  @Test
  @PeerTest("test_user_rrefs_confirmed")
  void referenceIsConfirmedOnReceiver() {
    try (RRef<Integer> rref = rrefs().remote(dst(), ScriptSuite::five)) {
      assertThat(rpc().sync(dst(2), ScriptSuite::confirmed, rref)).isTrue();
    }
  }

  @Test
  @PeerTest("test_user_rrefs_confirmed_remote")
  void referenceIsConfirmedOnReceiverOfCreation() {
    try (RRef<Integer> rref = rrefs().remote(dst(), ScriptSuite::five);
        RRef<Boolean> confirmed = rrefs().remote(dst(2), ScriptSuite::confirmed, rref)) {
      assertThat(confirmed.toHere()).isTrue();
    }
  }

  @Test
  @PeerTest("test_rref_list_mutate")
  @WorkersOnly
  void listIsChangedThroughReference() {
    try (RRef<List<Integer>> rref = rrefs().local(new ArrayList<>(List.of(1, 2, 3)))) {
      rref.localValue().add(4);
      rref.toHere().add(5);
      rpc().async(self(), ScriptSuite::append, rref, 6).join();
      assertThat(rref.localValue()).containsExactly(1, 2, 3, 4, 5, 6);
    }
  }

  static int append(RRef<List<Integer>> list, int value) {
    list.localValue().add(value);
    return list.toHere().size();
  }

  static RRef<Integer> same(RRef<Integer> rref) {
    return rref;
  }

  @Test
  @PeerTest("test_rref_as_arg_and_return")
  void referenceTravelsThereAndBack() {
    try (RRef<Integer> rref = rrefs().remote(dst(), ScriptSuite::five);
        RRef<Integer> returned = rpc().sync(dst(2), ScriptSuite::same, rref);
        RRef<RRef<Integer>> nested = rrefs().remote(dst(3), ScriptSuite::same, rref);
        RRef<Integer> unpacked = nested.toHere()) {
      assertThat(returned.id()).isEqualTo(rref.id());
      assertThat(returned.toHere()).isEqualTo(5);
      assertThat(unpacked.id()).isEqualTo(rref.id());
      assertThat(unpacked.toHere()).isEqualTo(5);
    }
  }

  @Test
  @PeerTest("test_my_script_module_with_rrefs")
  void objectKeepsReferencesItReceived() {
    List<RRef<Integer>> parts = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      parts.add(rrefs().remote(dst(i), ScriptSuite::five));
    }
    try (RRef<Holder> holder = rrefs().remote(dst(), Holder::new, parts)) {
      assertThat(holder.sync(Holder::sum)).isEqualTo(20);
    }
  }

  @Test
  @PeerTest("test_create_local_script_class_rref_in_py")
  @WorkersOnly
  void referenceIsTypedByInterface() {
    try (RRef<Summing> rref = rrefs().local(new Holder(List.of()))) {
      assertThat(rref.sync(Summing::sum)).isZero();
    }
  }

  static RRef<Summing> made() {
    return rrefs().local(new Holder(List.of()));
  }

  @Test
  @PeerTest("test_return_local_script_class_rref_in_py_and_use_in_script")
  void referenceTypedByInterfaceIsReturnedAndForwarded() {
    try (RRef<Summing> rref = rpc().sync(dst(), ScriptSuite::made)) {
      assertThat(rref.owner().name()).isEqualTo(dst());
      assertThat(rref.sync(Summing::sum)).isZero();
      assertThat(rpc().sync(dst(2), ScriptSuite::sumOf, rref)).isZero();
    }
  }

  static int sumOf(RRef<Summing> rref) {
    return rref.sync(Summing::sum);
  }

  static int twoOrThree(int a) {
    return twoOrThree(a, 3);
  }

  static int twoOrThree(int a, int b) {
    return a * b;
  }

  /** Java has overloads instead of Python's default arguments. */
  @Test
  @PeerTest("test_all_kwargs_are_populated_by_defaults")
  void overloadWithDefaultIsCalled() {
    threeWays(dst(), Function.named(ScriptSuite.class, "twoOrThree", int.class), is(6), 2);
  }

  @Test
  @PeerTest("test_no_kwargs_are_populated_by_defaults")
  void overloadWithAllArgumentsIsCalled() {
    Function<Integer> both = Function.named(ScriptSuite.class, "twoOrThree", int.class, int.class);
    threeWays(dst(), both, is(8), 2, 4);
  }

  /** The compiler finds wrong numbers of typed arguments. The arguments here are not typed. */
  @Test
  @PeerTest("test_less_than_needed_args_are_specified")
  void callFailsWhenArgumentIsMissing() {
    Function<Integer> both = Function.named(ScriptSuite.class, "twoOrThree", int.class, int.class);
    fails(Status.BAD_ARGUMENT, "twoOrThree", () -> rpc().sync(dst(), both, 2));
  }

  @Test
  @PeerTest("test_more_than_needed_args_are_specified")
  void callFailsWhenArgumentIsSurplus() {
    Function<Integer> both = Function.named(ScriptSuite.class, "twoOrThree", int.class, int.class);
    fails(Status.BAD_ARGUMENT, "twoOrThree", () -> rpc().sync(dst(), both, 2, 3, 4));
  }

  @Test
  @PeerTest("test_call_script_function_that_not_exists_remotely_from_script")
  void callFailsWhenFunctionDoesNotExist() {
    fails(
        Status.UNKNOWN_FUNCTION,
        "twoOrFour",
        () -> rpc().sync(dst(), Function.named(ScriptSuite.class, "twoOrFour", int.class), 1));
  }

  @Test
  @PeerTest("test_call_script_function_that_raises_remotely_from_script")
  void callFailsWhenFunctionThrows() {
    fails(
        Status.USER_ERROR,
        "expected error",
        () -> rpc().sync(dst(), ErrorSuite::raise, "expected error"));
  }

  /** A reference to a method of one object would carry the object. */
  @Test
  @PeerTest("test_torchscript_functions_not_supported")
  void functionIsRefusedWhenItCapturesObject() {
    Holder holder = new Holder(List.of());
    fails(Status.NOT_ALLOWED, "captures", () -> rpc().sync(dst(), holder::sum));
  }

  @Test
  @PeerTest({"test_rref_with_unpickleable_attributes", "test_remote_script_module"})
  void objectIsUsedOnOwnerWhenItCannotTravel() {
    Function<Holder> made = Function.named(Holder.class, "new", List.class);
    try (RRef<Holder> rref = rrefs().remote(dst(), made, List.of())) {
      assertThat(rpc().sync(dst(), ScriptSuite::locally, rref)).isZero();
      fails(Status.BAD_VALUE, Holder.class.getName(), rref::toHere);
    }
  }

  static int locally(RRef<Holder> rref) {
    return rref.localValue().sum();
  }

  /** Object that can travel. */
  @RemoteFunctions
  @RemoteValue
  record Scale(int factor) {
    int of(int x) {
      return factor * x;
    }
  }

  @Test
  @PeerTest("test_create_script_module_on_remote")
  void objectIsUsedAndReadWhenItCanTravel() {
    try (RRef<Scale> rref = rrefs().remote(dst(), Scale::new, 3)) {
      assertThat(rref.sync(Scale::of, 4)).isEqualTo(12);
      assertThat(rref.toHere()).isEqualTo(new Scale(3));
    }
  }

  @Test
  @PeerTest({"test_rref_py_pickle_not_supported", "test_rref_jit_pickle_not_supported"})
  void referenceIsNotSerializable() throws Exception {
    try (RRef<Integer> rref = rrefs().remote(home(), ScriptSuite::five);
        ObjectOutputStream out = new ObjectOutputStream(new ByteArrayOutputStream())) {
      assertThatThrownBy(() -> out.writeObject(rref)).isInstanceOf(NotSerializableException.class);
    }
  }

  static int forked(int x) {
    return CompletableFuture.supplyAsync(() -> CallSuite.Point.twice(x)).join();
  }

  static int forkedThrowing(String message) {
    try {
      return CompletableFuture.supplyAsync(() -> ErrorSuite.raise(message).length()).join();
    } catch (CompletionException e) {
      throw new IllegalStateException("forked: " + e.getCause().getMessage(), e.getCause());
    }
  }

  @Test
  @PeerTest("test_remote_script_udf")
  void referenceReadsResultOfForkedTask() {
    try (RRef<Integer> rref = rrefs().remote(dst(), ScriptSuite::forked, 4)) {
      assertThat(rref.toHere()).isEqualTo(8);
    }
  }

  @Test
  @PeerTest("test_async_script_udf")
  void callReturnsResultOfForkedTask() {
    assertThat(rpc().async(dst(), ScriptSuite::forked, 4).join()).isEqualTo(8);
  }

  @Test
  @PeerTest("test_remote_script_throw")
  void referenceFailsWhenForkedTaskThrows() {
    try (RRef<Integer> rref =
        rrefs().remote(dst(), ScriptSuite::forkedThrowing, "expected error")) {
      fails(Status.USER_ERROR, "forked: expected error", rref::toHere);
    }
  }

  @Test
  @PeerTest("test_async_script_throw")
  void callFailsWhenForkedTaskThrows() {
    CompletableFuture<Integer> call =
        rpc().async(dst(), ScriptSuite::forkedThrowing, "expected error");
    fails(Status.USER_ERROR, "forked: expected error", () -> Rpc.await(call));
  }

  @Test
  @PeerTest("test_callback_with_exception")
  void callbackExceptionLeavesCallIntact() {
    CompletableFuture<Integer> call = rpc().async(dst(), ScriptSuite::five);
    CompletableFuture<Integer> derived =
        call.thenApply(value -> ErrorSuite.raise("expected error").length());
    assertThatThrownBy(derived::join).hasRootCauseMessage("expected error");
    assertThat(call.join()).isEqualTo(5);
  }

  @Test
  @PeerTest("test_async_function_remote_multi")
  void asyncFunctionsCreateTwentyObjects() {
    Function<Integer> plus = Function.async(AsyncFunctionSuite::plusOn);
    List<RRef<Integer>> sums = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      sums.add(rrefs().remote(dst(), plus, dst(2), i, 1));
    }
    for (int i = 0; i < 20; i++) {
      assertThat(sums.get(i).toHere()).isEqualTo(i + 1);
    }
  }
}
