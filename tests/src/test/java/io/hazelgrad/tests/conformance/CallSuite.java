package io.hazelgrad.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.tests.PeerTest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Tests of calls of all kinds of functions, with values and tensors. */
@RemoteFunctions
class CallSuite extends PeerSuite {
  private static final Function<Tensor> ADD = Function.operator("add");

  static Tensor full(double value, int... shape) {
    return Tensor.full(DType.FLOAT32, value, Arrays.stream(shape).asLongStream().toArray());
  }

  @Test
  @PeerTest("test_add")
  void operatorReturnsResult() {
    int n = rank() + 1;
    assertThat(rpc().sync(dst(), ADD, full(1, n, n), full(1, n, n))).isEqualTo(full(2, n, n));
  }

  @Test
  @PeerTest("test_scalar_add")
  void operatorBroadcastsScalar() {
    int n = rank() + 1;
    assertThat(rpc().sync(dst(), ADD, full(1, n, n), full(n))).isEqualTo(full(1 + n, n, n));
  }

  @Test
  @PeerTest("test_async_add")
  void asyncOperatorCompletesFuture() {
    int n = rank() + 1;
    CompletableFuture<Tensor> sum = rpc().async(dst(), ADD, full(1, n, n), full(1, n, n));
    assertThat(sum.join()).isEqualTo(full(2, n, n));
  }

  /** The shape of the result depends on the elements. */
  @Test
  @PeerTest("test_nonzero")
  void resultHasShapeThatDependsOnElements() {
    Tensor x = Tensor.of(new double[] {0, 3, 0, rank(), 0, 1}, 6);
    assertThat(rpc().sync(dst(), CallSuite::nonzero, x)).isEqualTo(nonzero(x));
  }

  static Tensor nonzero(Tensor x) {
    double[] elements = x.toDoubles();
    long[] found =
        IntStream.range(0, x.size()).filter(i -> elements[i] != 0).asLongStream().toArray();
    return Tensor.of(found, found.length, 1);
  }

  @Test
  @PeerTest("test_multi_rpc")
  void callsInSequenceReturnResults() {
    for (int i = 0; i < 20; i++) {
      int n = i + rank() + 1;
      assertThat(rpc().sync(dst(), ADD, full(1, n, n), full(1, n, n))).isEqualTo(full(2, n, n));
    }
  }

  /** The function is one of the JDK. */
  @Test
  @PeerTest("test_py_built_in")
  void functionOfTheJdkReturnsResult() {
    int n = rank() + 1;
    Function<Integer> min = Function.named(Math.class, "min", int.class, int.class);
    assertThat(rpc().sync(dst(), min, n, n + 1)).isEqualTo(n);
    int absolute = rpc().sync(dst(), Math::abs, -n);
    assertThat(absolute).isEqualTo(n);
  }

  /** Java has no keyword arguments. A map of named arguments takes their place. */
  @Test
  @PeerTest("test_py_user_defined")
  void functionTakesMapOfNamedArguments() {
    int n = rank() + 1;
    assertThat(rpc().sync(dst(), CallSuite::sum, Map.of("a", n, "b", n + 1, "c", n + 2)))
        .isEqualTo(3 * n + 3);
  }

  static int sum(Map<String, Integer> arguments) {
    return arguments.get("a") + arguments.get("b") + arguments.get("c");
  }

  /** Value with methods of its own. */
  @RemoteValue
  @RemoteFunctions
  record Point(int a) {
    int plus(int b) {
      return a + b;
    }

    static int twice(int x) {
      return 2 * x;
    }
  }

  @Test
  @PeerTest("test_py_class_constructor")
  void constructorReturnsValue() {
    int n = rank() + 1;
    assertThat(rpc().sync(dst(), Point::new, n)).isEqualTo(new Point(n));
  }

  @Test
  @PeerTest("test_py_class_instance_method")
  void instanceMethodReturnsResult() {
    int n = rank() + 1;
    assertThat(rpc().sync(dst(), Point::plus, new Point(2), n)).isEqualTo(2 + n);
  }

  /** The peer's class method gets its class as an argument. Java has static methods only. */
  @Test
  @PeerTest("test_py_class_method")
  void staticMethodReturnsResultWhenNamed() {
    int n = rank() + 1;
    Function<Integer> twice = Function.named(Point.class, "twice", int.class);
    assertThat(rpc().sync(dst(), twice, n)).isEqualTo(2 * n);
  }

  @Test
  @PeerTest("test_py_class_static_method")
  void staticMethodReturnsResult() {
    int n = rank() + 1;
    assertThat(rpc().sync(dst(), Point::twice, n)).isEqualTo(2 * n);
  }

  @Test
  @PeerTest("test_py_multi_async_call")
  void asyncCallsOfTwoFunctionsReturnResults() {
    int n = rank() + 1;
    CompletableFuture<Integer> one = rpc().async(dst(), Point::twice, n);
    CompletableFuture<Integer> other = rpc().async(dst(), Math::abs, -n);
    assertThat(one.join()).isEqualTo(2 * n);
    assertThat(other.join()).isEqualTo(n);
  }

  @Test
  @PeerTest("test_py_no_return_result")
  void actionReturnsNull() {
    Function<?> nothing = Function.action(CallSuite::nothing);
    assertThat((Object) rpc().sync(dst(), nothing)).isNull();
  }

  static void nothing() {}

  @Test
  @PeerTest("test_py_tensors")
  void functionTakesAndReturnsTensors() {
    int n = rank() + 1;
    assertThat(rpc().sync(dst(), CallSuite::plus, full(n, n, n), full(2, n, n)))
        .isEqualTo(full(n + 2, n, n));
  }

  static Tensor plus(Tensor a, Tensor b) {
    float[] sum = a.toFloats();
    float[] other = b.toFloats();
    for (int i = 0; i < sum.length; i++) {
      sum[i] += other[i];
    }
    return Tensor.wrap(sum, a.shape());
  }

  @Test
  @PeerTest("test_py_tensors_multi_async_call")
  void hundredAsyncCallsReturnTensors() {
    List<CompletableFuture<Tensor>> sums = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      sums.add(rpc().async(dst(), CallSuite::plus, full(i, i, i), full(1, i, i)));
    }
    for (int i = 0; i < 100; i++) {
      assertThat(sums.get(i).join()).isEqualTo(full(i + 1, i, i));
    }
  }

  /** Tensors in lists in a record, with the same list twice. */
  @RemoteValue
  record Bundle(List<Object> first, List<Object> second, Map<String, Tensor> named) {}

  @Test
  @PeerTest("test_py_tensors_in_container")
  void tensorsTravelInNestedContainers() {
    List<Object> nested = List.of(full(3, 3, 3), List.of(full(4, 4), full(5, 5)));
    Bundle bundle = new Bundle(nested, nested, Map.of("foo", full(6, 6), "bar", full(7, 7)));
    List<Object> all = List.of(full(1, 2), bundle);
    threeWays(dst(), Function.of(CallSuite::same), is(all), all);
  }

  static List<Object> same(List<Object> values) {
    return values;
  }

  /**
   * The received tensor equals the view. Strides do not travel: the elements of a tensor are in
   * row-major order on every worker.
   */
  @Test
  @PeerTest("test_non_cont_tensors")
  void viewTravelsAsContiguousTensor() {
    if (rank() != 0) {
      return; // One worker is enough: the native library takes seconds to load.
    }
    INDArray all = Nd4j.linspace(1, 12, 12).reshape(3, 4);
    INDArray column = all.transpose();
    Tensor view = Tensor.of(column);
    assertThat(view.shape()).containsExactly(4, 3);
    Tensor back = rpc().sync(dst(), CallSuite::sameTensor, view);
    assertThat(back).isEqualTo(view);
    assertThat(back.toArray()).isEqualTo(column);
  }

  static Tensor sameTensor(Tensor tensor) {
    return tensor;
  }

  @Test
  @PeerTest("test_nested_rpc")
  void calleeCallsItsCaller() {
    assertThat(rpc().sync(dst(), CallSuite::callBack, caller())).isEqualTo(full(2, 2, 2));
  }

  static Tensor callBack(String caller) {
    return rpc().sync(caller, ADD, full(1, 2, 2), full(1, 2, 2));
  }

  private static final Semaphore CHAIN_ENDS = new Semaphore(0);

  /** Each hop makes the next call and does not wait for it. */
  @Test
  @PeerTest("test_multi_layer_nested_async_rpc")
  void chainOfAsyncCallsReachesItsStart() throws InterruptedException {
    int hops = 20; // A multiple of the number of workers: the chain ends where it began.
    assertThat(hop(hops)).isEqualTo(hops);
    assertThat(CHAIN_ENDS.tryAcquire(20, TimeUnit.SECONDS)).as("the chain ends here").isTrue();
  }

  static int hop(int left) {
    if (left == 0) {
      CHAIN_ENDS.release();
    } else {
      var unused = rpc().async(dst(), CallSuite::hop, left - 1);
    }
    return left;
  }
}
