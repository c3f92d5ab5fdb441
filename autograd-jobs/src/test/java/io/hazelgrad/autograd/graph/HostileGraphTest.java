package io.hazelgrad.autograd.graph;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.factory.Nd4j;

/** No bytes in the map and no call can end a worker's process. */
class HostileGraphTest {
  private static final int DAMAGED = Boolean.getBoolean("hazelgrad.tests.full") ? 5_000 : 1_000;
  private static final int RUNS_PER_OPERATION = 400;
  private static final long[] LENGTHS = {1, 1, 2, 2, 3, 4};
  private static final long[] SETTINGS = {
    0, 0, 1, 1, 2, 3, -1, -1, -2, -99, -99, 5, 6, 9, 10, 77, 1L << 31, Long.MIN_VALUE, 1L << 62
  };
  private static final double[] REALS = {0, 1, -1, 0.5, Double.NaN, 1e300, -1e-300};

  @Test
  void graphIsRefusedOrRunsWhenBytesAreDamaged() {
    SameDiff sd = SameDiff.create();
    SDVariable x = sd.placeHolder("x", DataType.FLOAT, -1, 4);
    SDVariable w = sd.var("w", Nd4j.linspace(1, 12, 12, DataType.FLOAT).reshape(4, 3));
    SDVariable b = sd.constant("b", Nd4j.linspace(1, 3, 3, DataType.FLOAT));
    SDVariable hidden = sd.nn.relu(sd.nn.linear(x, w, b), 0).add(1.5);
    sd.nn.softmax("out", sd.concat(0, hidden, hidden.permute(0, 1)).reshape(-1, 3));
    byte[] good = GraphProgramTest.bytes(sd);
    Random random = new Random(11);
    Tensor input = Tensor.full(DType.FLOAT32, 1, 2, 4);
    int refused = 0;
    for (int i = 0; i < DAMAGED; i++) {
      byte[] bytes = damage(good, random);
      try {
        SameDiffProgram program = GraphReader.read(bytes, List.of("x"), List.of("out"));
        Object unused = program.run("g", List.of(input));
      } catch (GridException e) {
        refused++;
        assertThat(e.status()).isIn(Status.BAD_VALUE, Status.BAD_ARGUMENT, Status.NOT_ALLOWED);
      }
    }
    assertThat(refused).isBetween(DAMAGED / 10, DAMAGED - 1);
  }

  private static byte[] damage(byte[] good, Random random) {
    byte[] bytes =
        random.nextInt(8) == 0 ? Arrays.copyOf(good, random.nextInt(good.length)) : good.clone();
    for (int changes = 1 + random.nextInt(4); changes > 0 && bytes.length > 4; changes--) {
      int at = random.nextInt(bytes.length - 3);
      switch (random.nextInt(4)) {
        case 0 -> bytes[at] = (byte) random.nextInt();
        case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
        case 2 -> bytes[at + 3] = 0x7f;
        default -> Arrays.fill(bytes, at, at + 4, (byte) 0xff);
      }
    }
    return bytes;
  }

  @Test
  void operationsCheckTheirSettingsAndInputs() {
    Random random = new Random(5);
    for (String op : GraphOps.names()) {
      int computed = 0;
      for (int i = 0; i < RUNS_PER_OPERATION; i++) {
        computed += run(op, random) ? 1 : 0;
      }
      assertThat(computed).as("runs of %s that gave a result", op).isPositive();
    }
  }

  private static boolean run(String op, Random random) {
    int count = 1 + random.nextInt(3);
    boolean alike = random.nextInt(4) > 0;
    DType dtype = random.nextBoolean() ? DType.FLOAT32 : type(random);
    boolean fitting = random.nextBoolean();
    boolean images = fitting && op.endsWith("2d");
    long[] shape = images ? new long[] {2, 2, 2, 2} : shape(random, random.nextInt(4));
    List<GraphInput> inputs = new ArrayList<>();
    List<Object> arguments = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Tensor tensor =
          tensor(
              alike ? dtype : type(random),
              random,
              alike ? shape : shape(random, random.nextInt(5)));
      if (alike && i > 0 && random.nextBoolean()) {
        tensor =
            tensor(dtype, random, shape.length == 0 ? shape : new long[] {shape[shape.length - 1]});
      }
      inputs.add(new GraphInput("i" + i, tensor.dtype(), List.of()));
      arguments.add(tensor);
    }
    int[] slots = new int[count];
    Arrays.setAll(slots, i -> i);
    GraphNode node =
        new GraphNode(
            "node",
            op,
            reals(random),
            fitting ? fitting(op, random) : longs(random),
            new boolean[] {random.nextBoolean(), random.nextBoolean()},
            random.nextInt(4) == 0 ? new long[] {Integer.MAX_VALUE} : longs(random),
            random.nextInt(8) == 0 ? null : REALS[random.nextInt(REALS.length)]);
    try {
      GraphStep step = new GraphStep(node, GraphOps.compile(node, count), slots, count);
      SameDiffProgram program =
          SameDiffProgram.of(inputs, Map.of(), List.of(step), List.of("o"), List.of(count));
      Tensor result = (Tensor) program.run("g", arguments);
      return result.size() > 0;
    } catch (GridException e) {
      assertThat(e.status()).isIn(Status.BAD_VALUE, Status.BAD_ARGUMENT, Status.NOT_ALLOWED);
      return false;
    }
  }

  private static DType type(Random random) {
    List<DType> all = List.of(DType.values());
    return all.get(random.nextInt(all.size()));
  }

  private static long[] shape(Random random, int rank) {
    if (random.nextInt(3) == 0) { // What most operations take.
      return new long[] {2, 2};
    }
    long[] shape = new long[rank];
    Arrays.setAll(shape, i -> LENGTHS[random.nextInt(LENGTHS.length)]);
    return shape;
  }

  private static long[] longs(Random random) {
    long[] values = new long[random.nextInt(4)];
    Arrays.setAll(values, i -> SETTINGS[random.nextInt(SETTINGS.length)]);
    return values;
  }

  /** Returns integers that an operation may accept. */
  private static long[] fitting(String op, Random random) {
    long[] small = new long[11];
    Arrays.setAll(small, i -> i == 4 || i == 5 ? random.nextInt(2) : 1 + random.nextInt(2));
    return switch (op) {
      case "conv2d", "maxpool2d", "avgpool2d" -> {
        for (int flag = 8; flag < small.length; flag++) {
          small[flag] = random.nextInt(2);
        }
        yield small;
      }
      case "batchnorm" -> new long[] {0, 0, -1};
      case "strided_slice" -> new long[] {0, 0, 0, 0, random.nextInt(2), random.nextInt(2), 2, 1};
      case "slice" -> new long[] {0, random.nextInt(2), 1, 1};
      case "reshape" -> new long[] {-99, -1};
      default -> random.nextBoolean() ? new long[0] : longs(random);
    };
  }

  private static double[] reals(Random random) {
    double[] values = new double[random.nextInt(3)];
    Arrays.setAll(values, i -> REALS[random.nextInt(REALS.length)]);
    return values;
  }

  private static Tensor tensor(DType dtype, Random random, long... shape) {
    double[] values = new double[(int) Tensor.sizeOf(shape)];
    Arrays.setAll(values, i -> REALS[random.nextInt(REALS.length)]);
    return Tensor.of(values, shape).to(dtype);
  }
}
