package io.hazelgrad.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.PassPlan;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Base class of tests of differentiation over the four workers. */
@RemoteFunctions
abstract class DifferentiationSuite extends PeerSuite {
  static final Function<Variable> ADD = Function.operator("add");
  static final Function<Variable> MUL = Function.operator("mul");
  static final Function<Variable> MATMUL = Function.operator("matmul");

  /** Function of these tests that computes the sum. */
  static final Function<Variable> MY_ADD = of("myAdd", Variable.class, Variable.class);

  /** Function that computes the sum on the next worker. */
  static final Function<Variable> NESTED_ADD =
      of("nestedAdd", Variable.class, Variable.class, String.class);

  /** Function that computes the sum on the next worker through a reference. */
  static final Function<Variable> NESTED_REMOTE_ADD =
      of("nestedRemoteAdd", Variable.class, Variable.class, String.class);

  final Variable t1 = leaf(1, 3, 3);
  final Variable t2 = leaf(2, 3, 3);

  /** One of the three ways of calling. */
  @FunctionalInterface
  interface Way {
    Variable call(String to, Function<Variable> function, Object... arguments);
  }

  static final List<Way> WAYS =
      List.of(
          (to, function, arguments) -> rpc().sync(to, function, arguments),
          (to, function, arguments) -> Rpc.await(rpc().async(to, function, arguments)),
          (to, function, arguments) -> {
            try (RRef<Variable> rref = rrefs().remote(to, function, arguments)) {
              return rref.toHere();
            }
          });

  static Function<Variable> of(String method, Class<?>... types) {
    return Function.named(DifferentiationSuite.class, method, types);
  }

  static Variable myAdd(Variable x, Variable y) {
    return x.add(y);
  }

  static Variable nestedAdd(Variable x, Variable y, String to) {
    return rpc().sync(to, ADD, x, y);
  }

  static Variable nestedRemoteAdd(Variable x, Variable y, String to) {
    try (RRef<Variable> sum = rrefs().remote(to, MY_ADD, x, y)) {
      return sum.toHere();
    }
  }

  /** Returns the context of the called function, or the empty string. */
  static String context() {
    Context context = Autograd.on(access()).current();
    return context == null ? "" : context.toString();
  }

  /** Returns the gradients of all leaves of the called worker in the context of the call. */
  static List<Tensor> gradients() {
    return List.copyOf(currentContext().gradients().values());
  }

  /** Returns the gradient of an object of this worker in the context of the call. */
  static @Nullable Tensor gradientOf(RRef<Variable> leaf) {
    return currentContext().gradient(leaf.localValue());
  }

  static int contexts() {
    return Autograd.on(grid()).contextCount();
  }

  static Context currentContext() {
    return Objects.requireNonNull(Autograd.on(grid()).current(), "no context");
  }

  static Context open() {
    return Autograd.on(access()).open();
  }

  static Variable leaf(long seed, long... shape) {
    return Variable.parameter(tensor(seed, shape));
  }

  static Tensor tensor(long seed, long... shape) {
    long size = 1;
    for (long extent : shape) {
      size *= extent;
    }
    return Tensor.wrap(new Random(seed).doubles(size).toArray(), shape);
  }

  /**
   * Runs a program in each of the three ways, and compares its gradients with those of the same
   * program in one process, for the same leaves.
   */
  static void likeLocal(
      Supplier<Variable> local,
      java.util.function.Function<Way, Variable> program,
      Variable... leaves) {
    local.get().backward();
    Map<Variable, Tensor> expected = new HashMap<>();
    for (Variable each : leaves) {
      Tensor grad = each.grad();
      if (grad != null) {
        expected.put(each, grad);
      }
      each.zeroGrad();
    }
    for (Way way : WAYS) {
      try (Context context = open()) {
        context.backward(program.apply(way));
        Map<Variable, Tensor> gradients = context.gradients();
        assertThat(gradients.keySet()).isEqualTo(expected.keySet());
        expected.forEach((leaf, gradient) -> isClose(gradients.get(leaf), gradient));
      }
    }
    for (Variable each : leaves) {
      assertThat(each.grad()).as("contexts do not touch it").isNull();
    }
  }

  static void isClose(@Nullable Tensor actual, @Nullable Tensor expected) {
    double tolerance = Objects.requireNonNull(expected).dtype().bytes() < 8 ? 1e-5 : 1e-12;
    assertThat(Objects.requireNonNull(actual).shape()).isEqualTo(expected.shape());
    assertThat(actual.dtype()).isEqualTo(expected.dtype());
    assertThat(actual.toDoubles()).containsExactly(expected.toDoubles(), within(tolerance));
  }

  /** Returns the sender and receiver of each message of a plan, in the order of the waves. */
  static List<String> messages(PassPlan plan) {
    return plan.messages().stream()
        .map(each -> plan.name(each.sender()) + ">" + plan.name(each.receiver()))
        .toList();
  }
}
