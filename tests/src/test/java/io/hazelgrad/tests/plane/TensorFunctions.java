package io.hazelgrad.tests.plane;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.plane.PlaneFigures;
import io.hazelgrad.grid.plane.TensorPlane;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Functions that the tests of tensors call on workers. */
@RemoteFunctions
final class TensorFunctions {
  private static final Map<String, Tensor> KEPT = new ConcurrentHashMap<>();
  private static volatile CountDownLatch gate = new CountDownLatch(0);

  private TensorFunctions() {}

  static Tensor echo(Tensor tensor) {
    return tensor;
  }

  static Tensor handOver(Tensor tensor) {
    return tensor.releaseWhenSent();
  }

  static List<Tensor> handOverTwice(Tensor tensor) {
    return List.of(tensor, tensor.releaseWhenSent());
  }

  static void take(Tensor tensor) {
    tensor.release();
  }

  static void drop(Tensor tensor) {}

  static int count(List<Tensor> tensors) {
    return tensors.size();
  }

  static void pair(Object first, Object second) {}

  static int ping() {
    return 1;
  }

  /** Returns a checksum of the elements and whether they are in shared memory. */
  static String sum(Tensor tensor) {
    boolean lent = tensor.storage().isLent();
    String sum = checksum(tensor);
    tensor.release();
    return sum + (lent ? " lent" : " copied");
  }

  static String checksum(Tensor tensor) {
    CRC32C sum = new CRC32C();
    int step = 1 << 18;
    ByteBuffer piece = ByteBuffer.allocate(step * tensor.dtype().bytes());
    for (int from = 0; from < tensor.size(); from += step) {
      piece.clear();
      tensor.storage().copyTo(from, Math.min(step, tensor.size() - from), piece);
      sum.update(piece.flip());
    }
    return Long.toHexString(sum.getValue());
  }

  /** Creates a FLOAT32 tensor of this number of bytes. */
  static Tensor make(int bytes, int seed) {
    float[] values = new float[bytes / 4];
    for (int i = 0; i < values.length; i++) {
      values[i] = seed + (i & 0xffff);
    }
    return Tensor.wrap(values, values.length);
  }

  /** Creates a tensor and returns its checksum. */
  static String sumMadeHere(int bytes, int seed) {
    return checksum(make(bytes, seed));
  }

  /** Creates the same tensor, and returns the result of {@link #sum} on another worker. */
  static String sumAt(String worker, int bytes, int seed) {
    Rpc rpc = Grid.current().rpc().within(Duration.ofMinutes(4));
    return rpc.sync(worker, TensorFunctions::sum, make(bytes, seed));
  }

  static Tensor zeros(long length) {
    return Tensor.zeros(DType.FLOAT32, length);
  }

  /** Keeps a tensor under a name. */
  static void keep(String name, Tensor tensor) {
    KEPT.put(name, tensor);
  }

  static String keptSum(String name) {
    return checksum(KEPT.get(name));
  }

  static boolean forget(String name) {
    Tensor kept = KEPT.remove(name);
    if (kept != null) {
      kept.release();
    }
    return kept != null;
  }

  static void fail(Tensor tensor) {
    throw new IllegalStateException("as asked for");
  }

  static void closeGate() {
    gate = new CountDownLatch(1);
  }

  static void openGate() {
    gate.countDown();
  }

  static void waitAtGate(Tensor tensor) throws InterruptedException {
    if (!gate.await(60, TimeUnit.SECONDS)) {
      throw new IllegalStateException("nobody opened the gate");
    }
  }

  /** Returns the figures of the called worker's tensor plane, field by field. */
  static List<Long> figures() {
    return figures(Grid.current());
  }

  static List<Long> figures(Grid grid) {
    PlaneFigures f = TensorPlane.of(grid).figures();
    return List.of(
        f.lentBytes(), f.heldBytes(), (long) f.offered(), f.arrivingBytes(), f.bufferBytes());
  }

  /** Keeps a tensor after reading a part of each page, so that all of it is resident. */
  static void keepRead(String name, Tensor tensor) {
    double sum = 0;
    for (int i = 0; i < tensor.size(); i += 1024) {
      sum += tensor.storage().getDouble(i);
    }
    if (sum == 0) {
      KEPT.put(name, tensor);
    }
  }

  static void collect() {
    System.gc();
  }

  /** Creates ND4J arrays of 16 MiB each with this number of bytes in sum; returns their number. */
  static int allocate(int bytes) {
    int count = 0;
    for (; count < bytes >> 24; count++) {
      try (INDArray array = Nd4j.ones(DataType.FLOAT, 4 << 20)) {
        if (array.getDouble((4 << 20) - 1) != 1) {
          throw new IllegalStateException("no one");
        }
      }
    }
    return count;
  }
}
