package io.hazelgrad.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.tests.PeerTest;
import io.hazelgrad.tests.WorkersOnly;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests of backward passes from references, with hooks and with threads. */
@RemoteFunctions
class GradientSuite extends PeerSuite {
  private static final Function<Variable> ADD = Function.operator("add");

  private final Variable t = Variable.parameter(Tensor.wrap(new double[] {0.1, 0.2, 0.3}, 3));

  static Variable sum(Variable x) {
    return x.sum();
  }

  static Object identity(Object value) {
    return value;
  }

  private static Context open() {
    return Autograd.on(access()).open();
  }

  private static void isFilled(@Nullable Tensor gradient, double value) {
    assertThat(Objects.requireNonNull(gradient).toDoubles())
        .isEqualTo(Arrays.stream(new double[3]).map(zero -> value).toArray());
  }

  // A wrong cast, as a user might make it.
  @SuppressWarnings("unchecked")
  private static RRef<Variable> noVariable(RRef<?> rref) {
    return (RRef<Variable>) rref;
  }

  /** Without a context, the owner differentiates the value itself. */
  @Test
  @PeerTest("test_owner_rref_backward")
  @WorkersOnly
  void backwardStartsFromReferenceToLocalVariable() {
    try (RRef<Variable> local = rrefs().local(t.sum().add(t.sum()))) {
      local.localValue().backward();
      isFilled(t.grad(), 2);
    }
    try (Context context = open()) {
      Variable doubled = rpc().sync(dst(), ADD, t, t);
      try (RRef<Variable> local = rrefs().local(doubled.sum())) {
        context.backward(true, local);
        isFilled(context.gradient(t), 2);
        context.backward(local);
        isFilled(context.gradient(t), 4);
      }
      try (RRef<Variable> constant = rrefs().local(t.detach().sum());
          RRef<Variable> vector = rrefs().local(t.add(t));
          RRef<String> text = rrefs().local("foo")) {
        fails(Status.BAD_ARGUMENT, "needs no gradient", () -> context.backward(constant));
        fails(Status.BAD_ARGUMENT, "must be a scalar", () -> context.backward(vector));
        fails(Status.BAD_ARGUMENT, "Variable", () -> context.backward(noVariable(text)));
      }
    }
  }

  @Test
  @PeerTest("test_user_rref_backward")
  void backwardStartsFromReferenceToRemoteVariable() {
    try (Context context = open();
        RRef<Variable> there = rrefs().remote(dst(), GradientSuite::sum, t)) {
      context.backward(true, there);
      isFilled(context.gradient(t), 1);
      context.backward(there);
      isFilled(context.gradient(t), 2);
      try (RRef<Object> text = rrefs().remote(dst(), GradientSuite::identity, (Object) "foo")) {
        fails(Status.BAD_ARGUMENT, "Variable", () -> context.backward(noVariable(text)));
      }
    }
  }

  @Test
  @PeerTest("test_backward_verify_hooks")
  void hookChangesGradientUntilClosed() {
    try (Context context = open()) {
      Variable.Hook doubling = t.hook(g -> Variable.of(g).add(Variable.of(g)).value());
      Variable root = rpc().sync(dst(), ADD, t, t).sum();
      context.backward(true, root);
      isFilled(context.gradient(t), 4);
      doubling.close();
      context.backward(root);
      isFilled(context.gradient(t), 6);
    }
  }

  /** In the peer a compiled function reads the gradients. Here any function in the context can. */
  @Test
  @PeerTest("test_get_gradients")
  void gradientsAreReadByFunctionInContext() {
    Variable other = Variable.parameter(Tensor.wrap(new double[] {1, 2, 3}, 3));
    try (Context context = open()) {
      context.backward(t.add(other).sum());
      assertThat(context.gradients()).containsOnlyKeys(t, other);
      if (!isClient()) { // A client cannot be asked.
        List<Tensor> asked = rpc().sync(self(), DifferentiationSuite::gradients);
        assertThat(asked).hasSize(2).allSatisfy(each -> isFilled(each, 1));
      }
      assertThat(rpc().<List<Tensor>>sync(dst(), DifferentiationSuite::gradients)).isEmpty();
    }
  }

  /** A task on another thread enters the context explicitly. */
  @Test
  @PeerTest("test_jit_fork_within_context")
  void contextIsEnteredByThread() {
    Variable other = Variable.parameter(Tensor.wrap(new double[] {1, 2, 3}, 3));
    Rpc rpc = rpc();
    String dst = dst();
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (Context context = open()) {
      CompletableFuture<Variable> fork =
          CompletableFuture.supplyAsync(
              () -> context.within(() -> rpc.sync(dst, ADD, t, other)), thread);
      context.backward(fork.join().sum());
      assertThat(context.gradients()).containsOnlyKeys(t, other);
      isFilled(context.gradient(t), 1);
      isFilled(context.gradient(other), 1);
    } finally {
      thread.shutdownNow();
    }
  }
}
