package io.hazelgrad.tests.autograd;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Catalogue;
import io.hazelgrad.autograd.ops.Operation;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Operators with random arguments of any kind, called on a worker in a process of its own. */
@ExtendWith(Leftovers.class)
class HostileOperatorsTest {
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final int CALLS = 4_000;
  private static final int AT_ONCE = 50;

  private static final Object[] VALUES = {
    0,
    1,
    -1,
    2,
    7,
    1L << 33,
    Long.MIN_VALUE,
    Long.MAX_VALUE,
    0.5,
    Double.NaN,
    true,
    "sum",
    List.of(),
    List.of(0, 1),
    List.of(-1, 2),
    List.of(1L << 62, 4),
    List.of("a")
  };

  private static final DType[] TYPES = {
    DType.FLOAT64, DType.FLOAT64, DType.FLOAT32, DType.INT64, DType.BOOL, DType.BFLOAT16
  };

  @Test
  void callsEndAndWorkerLivesWithHostileArguments() {
    try (JvmCluster cluster = JvmCluster.workers("A").start()) {
      Rpc rpc = cluster.grid().rpc().within(DEADLINE);
      Random random = new Random(1);
      int results = 0;
      for (int i = 0; i < CALLS; i += AT_ONCE) {
        List<CompletableFuture<Object>> calls = new ArrayList<>();
        for (int j = 0; j < AT_ONCE; j++) {
          calls.add(call(random, rpc));
        }
        for (CompletableFuture<Object> call : calls) {
          results += endsWell(call) ? 1 : 0;
        }
      }
      assertThat(results).isGreaterThan(CALLS / 20);
      Tensor two = Tensor.scalar(2);
      assertThat(rpc.<Tensor>sync("A", Function.operator("add"), two, two))
          .isEqualTo(Tensor.scalar(4));
    }
  }

  private static CompletableFuture<Object> call(Random random, Rpc rpc) {
    List<String> names = List.copyOf(Catalogue.names());
    Operation operation = Catalogue.get(names.get(random.nextInt(names.size())));
    int most = Math.min(operation.maxInputs(), operation.minInputs() + 2);
    int count = operation.minInputs() + random.nextInt(most - operation.minInputs() + 1);
    long[] shape = shape(random);
    List<Object> arguments = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      arguments.add(tensor(random, random.nextInt(3) == 0 ? shape(random) : shape));
    }
    Map<String, Object> attributes = new HashMap<>();
    for (String name : operation.attributes()) {
      if (random.nextInt(3) > 0) {
        attributes.put(name, VALUES[random.nextInt(VALUES.length)]);
      }
    }
    arguments.add(Attributes.of(attributes).asMap());
    try {
      return rpc.async("A", Function.operator(operation.name()), arguments.toArray());
    } catch (GridException e) { // An error that the caller itself raises.
      return CompletableFuture.failedFuture(e);
    }
  }

  private static boolean endsWell(CompletableFuture<Object> call) {
    try {
      assertThat(Rpc.await(call)).isInstanceOf(Tensor.class);
      return true;
    } catch (GridException e) {
      assertThat(e.status()).as("%s", e).isIn(Status.BAD_ARGUMENT, Status.REJECTED);
      return false;
    }
  }

  private static long[] shape(Random random) {
    long[] shape = new long[random.nextInt(4)];
    Arrays.setAll(shape, i -> random.nextInt(10) == 0 ? 0 : 1 + random.nextInt(2));
    return shape;
  }

  private static Tensor tensor(Random random, long[] shape) {
    double[] elements = new double[(int) Tensor.sizeOf(shape)];
    Arrays.setAll(elements, i -> random.nextInt(6) == 0 ? 1L << 40 : random.nextInt(4) - 1);
    return Tensor.of(elements, shape).to(TYPES[random.nextInt(TYPES.length)]);
  }
}
