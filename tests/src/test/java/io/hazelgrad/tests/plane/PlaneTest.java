package io.hazelgrad.tests.plane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.PlaneConfig;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.plane.PlaneFigures;
import io.hazelgrad.grid.plane.TensorPlane;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.InProcessGrids;
import io.hazelgrad.testkit.Leftovers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;

/** Tests of all transports of tensors, between two workers of this JVM. */
@ExtendWith(Leftovers.class)
class PlaneTest {
  private static final int MIB = 1 << 20;
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final Function<Tensor> ECHO = Function.of(TensorFunctions::echo);
  private static final Function<Tensor> HAND_OVER = Function.of(TensorFunctions::handOver);

  @TempDir private Path directory;
  private InProcessGrids grids;
  private Grid a;
  private Grid b;

  @AfterEach
  void close() throws IOException {
    if (grids != null) {
      grids.close();
    }
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files).as("files left behind").isEmpty();
    }
  }

  /** Starts two workers whose shared memory is in the test's directory. */
  private void join(UnaryOperator<PlaneConfig> settings) {
    join(settings, Duration.ofSeconds(10));
  }

  private void join(UnaryOperator<PlaneConfig> settings, Duration reconcileEvery) {
    PlaneConfig plane = PlaneConfig.defaults().withDirectory(directory).withSharedBytes(64 * MIB);
    grids =
        InProcessGrids.join(
            worker -> worker.plane(settings.apply(plane)).reconcileEvery(reconcileEvery), "a", "b");
    a = grids.grid("a");
    b = grids.grid("b");
  }

  private PlaneFigures figures(Grid grid) {
    return TensorPlane.of(grid).figures();
  }

  private void assertNothingHeld() {
    Await.until(
        SOON,
        () -> {
          System.gc();
          List<Long> left = new ArrayList<>(TensorFunctions.figures(a));
          left.addAll(TensorFunctions.figures(b));
          return left.stream().allMatch(figure -> figure == 0)
              ? ""
              : "lent, held, offered, arriving and landed of a and b: " + left;
        });
  }

  private static Tensor patterned(DType dtype, long... shape) {
    int size = (int) Tensor.sizeOf(shape);
    long[] values = new long[size];
    for (int i = 0; i < size; i++) {
      values[i] = dtype == DType.BOOL ? i & 1 : i % 97;
    }
    return Tensor.wrap(values, shape).to(dtype);
  }

  private void everyTypeTravels() {
    for (DType dtype : DType.values()) {
      for (long[] shape :
          new long[][] {
            {}, {0}, {1}, {17}, {3, 0, 2}, {150, 7, 2}, {(3 * MIB + 40) / dtype.bytes()}
          }) {
        Tensor tensor = patterned(dtype, shape);
        Tensor back = a.rpc().sync("b", ECHO, tensor);
        assertThat(back.equals(tensor)).as("%s %s", dtype, List.of(shape)).isTrue();
      }
    }
  }

  @Test
  void tensorOfEveryTypeTravelsThroughSharedMemory() {
    join(plane -> plane.withInlineBytes(100));
    everyTypeTravels();
    assertThat(figures(a).shared().tensors()).isGreaterThanOrEqualTo(20);
    assertThat(figures(a).chunked().tensors()).isZero();
    assertThat(figures(b).received()).isEqualTo(figures(a).shared());
    assertThat(figures(b).shared()).as("results").isEqualTo(figures(a).shared());
    assertNothingHeld();
  }

  @Test
  void tensorOfEveryTypeTravelsByStreams() {
    join(plane -> plane.withSharedBytes(0).withInlineBytes(100));
    everyTypeTravels();
    assertThat(figures(a).chunked().tensors()).isGreaterThanOrEqualTo(20);
    assertThat(figures(a).shared().tensors()).isZero();
    assertThat(figures(a).streamed()).as("arguments").isEqualTo(figures(a).chunked());
    assertThat(figures(b).streamed()).as("results").isEqualTo(figures(a).chunked());
    assertNothingHeld();
  }

  @Test
  void tensorOfEveryTypeTravelsInChunks() {
    join(plane -> plane.withSharedBytes(0).withPort(PlaneConfig.NO_PORT));
    everyTypeTravels();
    assertThat(figures(a).chunked().tensors()).isEqualTo(10);
    assertThat(figures(a).shared().tensors()).isZero();
    assertThat(figures(b).chunked()).as("results").isEqualTo(figures(a).chunked());
    assertThat(figures(a).streamed().tensors()).isZero();
    assertNothingHeld();
  }

  @Test
  void chunksAreUsedWhenPortIsUnreachable() {
    List<Integer> ports = new ArrayList<>(List.of(0, PlaneConfig.NO_PORT));
    // A worker forgets at each reconciliation which others cannot connect: there is none meanwhile.
    join(plane -> plane.withSharedBytes(0).withPort(ports.remove(0)), Duration.ofHours(1));
    Tensor small = TensorFunctions.make(MIB / 2, 1);
    Tensor large = TensorFunctions.make(3 * MIB, 1);

    assertThat(a.rpc().sync("b", ECHO, large)).isEqualTo(large);
    assertThat(a.rpc().sync("b", ECHO, small)).isEqualTo(small);

    assertThat(figures(a).chunked().tensors()).isEqualTo(1);
    assertThat(figures(a).inline().tensors()).as("once it is known").isEqualTo(1);
    assertThat(figures(a).streamed().tensors()).isZero();
    assertNothingHeld();
  }

  @Test
  void chunksAreUsedWhenPortIsTaken() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      join(plane -> plane.withSharedBytes(0).withPort(taken.getLocalPort()));
      Tensor tensor = TensorFunctions.make(3 * MIB, 1);
      assertThat(a.rpc().sync("b", ECHO, tensor)).isEqualTo(tensor);
      assertThat(figures(a).streamed().tensors()).isZero();
    }
  }

  @Test
  void tensorIsNotCopiedWhenWorkerCallsItself() {
    join(plane -> plane);
    Tensor tensor = patterned(DType.FLOAT32, MIB);
    Tensor back = a.rpc().sync("a", ECHO, tensor);
    assertThat(back.storage()).isSameAs(tensor.storage());
    assertThat(figures(a).local()).isEqualTo(new PlaneFigures.Traffic(2, 8L * MIB));
    assertNothingHeld();
  }

  @Test
  void smallTensorsStayInMessageWithinItsLimit() {
    join(plane -> plane.withSharedBytes(0).withPort(PlaneConfig.NO_PORT));
    Tensor tensor = patterned(DType.FLOAT32, 75_000); // 300,000 bytes: three fit in 1 MiB.
    List<Tensor> many = List.of(tensor, tensor, tensor, tensor, tensor);
    assertThat(a.rpc().sync("b", TensorFunctions::count, many)).isEqualTo(5);
    assertThat(figures(a).inline().tensors()).isEqualTo(3);
    assertThat(figures(a).chunked().tensors()).isEqualTo(2);
    assertNothingHeld();
  }

  @Test
  void tensorTravelsFromViewsAndOrdersOfNd4j() {
    join(plane -> plane);
    INDArray all = Nd4j.arange(1_000_000).castTo(DataType.FLOAT).reshape(1000, 1000);
    for (INDArray view :
        List.of(
            all.get(NDArrayIndex.interval(100, 900), NDArrayIndex.interval(1, 2, 999)),
            all.transpose(),
            all.dup('f'),
            all.getRow(3).reshape(10, 100).transpose())) {
      Tensor back = a.rpc().sync("b", ECHO, Tensor.of(view));
      INDArray array = back.toArray();
      assertThat(array.shape()).isEqualTo(view.shape());
      assertThat(array.equals(view)).isTrue();
      back.release();
    }
    assertThat(figures(a).shared().tensors()).isEqualTo(3);
    assertNothingHeld();
  }

  @Test
  void tensorStaysUnchangedWhenFunctionKeepsIt() {
    join(plane -> plane.withSharedBytes(24 * MIB));
    Tensor first = TensorFunctions.make(MIB, 7);
    a.rpc().sync("b", Function.action(TensorFunctions::keep), "first", first);
    for (int i = 0; i < 60; i++) {
      a.rpc().sync("b", Function.action(TensorFunctions::take), TensorFunctions.make(MIB, i));
    }
    assertThat(figures(a).shared().tensors()).isEqualTo(61);
    assertThat(figures(a).poolBytes()).as("slots are used again").isLessThan(9 * MIB);
    assertThat(a.rpc().sync("b", TensorFunctions::keptSum, "first"))
        .isEqualTo(TensorFunctions.checksum(first));
    assertThat(a.rpc().sync("b", TensorFunctions::forget, "first")).isTrue();
    assertNothingHeld();
  }

  @Test
  void fullPoolFallsBackAndRecovers() {
    join(plane -> plane.withSharedBytes(9 * MIB));
    for (int i = 0; i < 6; i++) {
      a.rpc()
          .sync(
              "b",
              Function.action(TensorFunctions::keep),
              "t" + i,
              TensorFunctions.make(2 * MIB, i));
    }
    PlaneFigures full = figures(a);
    assertThat(full.shared().tensors()).isBetween(3L, 4L);
    assertThat(full.chunked().tensors()).isEqualTo(6 - full.shared().tensors());
    assertThat(full.fallbacks()).isEqualTo(full.chunked().tensors());
    assertThat(full.poolBytes()).isLessThanOrEqualTo(full.poolLimit());
    for (int i = 0; i < 6; i++) {
      assertThat(a.rpc().sync("b", TensorFunctions::keptSum, "t" + i))
          .isEqualTo(TensorFunctions.checksum(TensorFunctions.make(2 * MIB, i)));
      assertThat(a.rpc().sync("b", TensorFunctions::forget, "t" + i)).isTrue();
    }
    a.rpc().sync("b", Function.action(TensorFunctions::take), TensorFunctions.make(2 * MIB, 9));
    assertThat(figures(a).shared().tensors()).isEqualTo(full.shared().tensors() + 1);
    assertNothingHeld();
  }

  /**
   * Sends a tensor to B, which returns a result that it does not keep; this worker does not keep
   * the received copy either.
   */
  private void handOverAndBack(Tensor tensor) {
    Tensor back = a.rpc().sync("b", HAND_OVER, tensor);
    assertThat(TensorFunctions.checksum(back)).isEqualTo(TensorFunctions.checksum(tensor));
    back.release();
  }

  @Test
  void slotIsFreedWhenResultIsReleasedAfterSending() {
    join(plane -> plane.withSharedBytes(9 * MIB));
    Tensor tensor = TensorFunctions.make(2 * MIB, 3);
    for (int i = 0; i < 20; i++) {
      handOverAndBack(tensor);
      Await.until("b has given the slot back", SOON, () -> figures(b).heldBytes() == 0);
    }
    a.rpc().sync("b", TensorFunctions::handOverTwice, tensor).forEach(Tensor::release);
    assertThat(a.rpc().sync("a", HAND_OVER, tensor)).isEqualTo(tensor);
    assertThat(figures(a).fallbacks()).isZero();
    assertThat(figures(a).shared().tensors()).isEqualTo(21);
    assertThat(figures(b).shared().tensors()).isEqualTo(22);
    Await.until("b has given all back", SOON, () -> figures(b).heldBytes() == 0);
    assertNothingHeld();
  }

  @Test
  void resultTravelsByStreamWhenReleasedAfterSending() {
    join(plane -> plane.withSharedBytes(0));
    Tensor tensor = TensorFunctions.make(2 * MIB, 3);
    for (int i = 0; i < 20; i++) {
      handOverAndBack(tensor);
    }
    assertThat(a.rpc().sync("b", TensorFunctions::handOverTwice, tensor))
        .hasSize(2)
        .allSatisfy(back -> assertThat(back).isEqualTo(tensor));
    Tensor own = a.rpc().sync("b", HAND_OVER, tensor);
    assertThat(a.rpc().sync("a", HAND_OVER, own)).as("to itself").isEqualTo(tensor);
    own.release();
    assertThat(figures(b).streamed()).isEqualTo(figures(b).chunked());
    Await.until("b has released all", SOON, () -> figures(b).bufferBytes() == 0);
    assertNothingHeld();
  }

  @Test
  void slotsAreFreedWhenTensorsAreForgotten() {
    join(plane -> plane.withSharedBytes(9 * MIB));
    Function<?> drop = Function.action(TensorFunctions::drop);
    Await.until(
        SOON,
        () -> {
          a.rpc().sync("b", drop, TensorFunctions.make(2 * MIB, 1));
          return figures(a).shared().tensors() > 8 ? "" : "no slot came back: " + figures(a);
        });
    assertNothingHeld();
  }

  @Test
  void streamsAreUsedWithoutDirectory() {
    join(plane -> plane.withDirectory(directory.resolve("absent")));
    Tensor tensor = TensorFunctions.make(3 * MIB, 1);
    assertThat(a.rpc().sync("b", TensorFunctions::sum, tensor))
        .isEqualTo(TensorFunctions.checksum(tensor) + " lent");
    assertThat(figures(a).chunked().tensors()).isEqualTo(1);
    assertThat(figures(a).streamed().tensors()).isEqualTo(1);
    assertThat(figures(a).poolLimit()).isZero();
  }

  @Test
  void streamsAreUsedWhenDirectoriesDiffer() throws IOException {
    Path other = Files.createDirectory(directory.resolve("other"));
    List<Path> directories = new ArrayList<>(List.of(directory, other));
    grids =
        InProcessGrids.join(
            worker -> worker.plane(PlaneConfig.defaults().withDirectory(directories.remove(0))),
            "a",
            "b");
    a = grids.grid("a");
    b = grids.grid("b");
    Tensor tensor = TensorFunctions.make(3 * MIB, 1);
    assertThat(a.rpc().sync("b", ECHO, tensor)).isEqualTo(tensor);
    assertThat(figures(a).chunked().tensors()).isEqualTo(1);
    assertThat(figures(a).poolBytes()).isZero();
    grids.close();
    Files.delete(other);
  }

  @Test
  void tensorIsRefusedWhenLargerThanLimitOfReceiver() {
    join(plane -> plane.withSharedBytes(0).withIncomingBytes(4 * MIB));
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> a.rpc().sync("b", ECHO, TensorFunctions.make(5 * MIB, 1)))
        .withMessageContaining("incomingBytes=" + 4 * MIB)
        .matches(e -> e.status() == Status.BAD_VALUE)
        .matches(e -> !e.mayHaveRun());
    assertThat(a.rpc().sync("b", ECHO, TensorFunctions.make(3 * MIB, 1)).size())
        .isEqualTo(3 * MIB / 4);
    assertNothingHeld();
  }

  @Test
  void failedCallsLeaveNothing() {
    join(plane -> plane);
    Tensor large = TensorFunctions.make(2 * MIB, 1);
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(
            () ->
                a.rpc()
                    .sync("b", Function.action(TensorFunctions::keep), "x", new Tensor[] {large}));
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> a.rpc().sync("b", Function.action(TensorFunctions::fail), large))
        .withMessageContaining("as asked for");
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(
            () ->
                a.rpc()
                    .sync(
                        "b", Function.named(TensorFunctions.class, "absent", Tensor.class), large));
    assertThatExceptionOfType(GridException.class)
        .as("the second argument cannot travel")
        .isThrownBy(
            () ->
                a.rpc()
                    .sync(
                        "b",
                        Function.named(TensorFunctions.class, "pair", Object.class, Object.class),
                        large,
                        new Thread()));
    assertNothingHeld();
  }

  @Test
  void callLeavesNothingWhenItEndsEarly() {
    for (boolean shared : new boolean[] {true, false}) {
      join(plane -> shared ? plane : plane.withSharedBytes(0));
      a.rpc().sync("b", Function.action(TensorFunctions::closeGate));
      Tensor large = TensorFunctions.make(3 * MIB, 1);
      CompletableFuture<?> call =
          a.rpc()
              .within(Duration.ofMillis(300))
              .async("b", Function.action(TensorFunctions::waitAtGate), large);
      assertThat(call).failsWithin(SOON);
      a.rpc().sync("b", Function.action(TensorFunctions::openGate));
      assertNothingHeld();
      grids.close();
    }
  }

  @Test
  void concurrentTransfersStaySeparate() throws Exception {
    join(plane -> plane.withSharedBytes(24 * MIB));
    long seed = System.nanoTime();
    System.out.println("PlaneTest seed " + seed);
    ExecutorService threads = Executors.newFixedThreadPool(6);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int thread = 0; thread < 6; thread++) {
        SplittableRandom random = new SplittableRandom(seed + thread);
        Grid from = thread % 2 == 0 ? a : b;
        String to = thread % 3 == 0 ? "a" : "b";
        all.add(threads.submit(() -> exchange(from, to, random)));
      }
      for (Future<?> each : all) {
        each.get(60, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }
    assertNothingHeld();
  }

  private static Void exchange(Grid from, String to, SplittableRandom random) {
    for (int i = 0; i < 40; i++) {
      Tensor tensor = TensorFunctions.make(4 * random.nextInt(1, MIB), random.nextInt(1000));
      Tensor back = from.rpc().sync(to, ECHO, tensor);
      assertThat(TensorFunctions.checksum(back)).isEqualTo(TensorFunctions.checksum(tensor));
      if (random.nextBoolean()) {
        back.release();
      }
    }
    return null;
  }
}
