package io.hazelgrad.tests.plane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.testkit.Await;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Large tensors between processes, some of which are killed. */
class PlaneOfJvmsTest extends TwoWorkers {
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");
  private static final Function<Tensor> ECHO = Function.of(TensorFunctions::echo);

  @BeforeAll
  static void start() {
    start("-Xmx384m"); // The heap is small compared to the segments that the workers map.
  }

  private static List<String> filesOf(long pid) {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(SHARED_MEMORY, "hazelgrad-*-" + pid + "-*")) {
      files.forEach(file -> names.add(file.getFileName().toString()));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return names;
  }

  @Test
  @Tag("slow")
  void quarterGibibyteTravelsThroughSharedMemory() {
    Tensor tensor = TensorFunctions.make(256 * MIB, 3);
    long before = figures().shared().tensors();
    assertThat(driver.rpc().sync("A", TensorFunctions::sum, tensor))
        .isEqualTo(TensorFunctions.checksum(tensor) + " lent");
    assertThat(figures().shared().tensors()).isEqualTo(before + 1);
    Tensor back = driver.rpc().sync("A", ECHO, tensor);
    assertThat(TensorFunctions.checksum(back)).isEqualTo(TensorFunctions.checksum(tensor));
    back.release();
    System.gc();
    driver.rpc().sync("A", Function.action(TensorFunctions::collect));
  }

  /** By default, javacpp refuses to allocate while 4 x 384 MiB of the process are resident. */
  @Test
  @Tag("slow")
  void nd4jHasRoomNextToMappedSegments() {
    for (int i = 0; i < 7; i++) {
      driver
          .rpc()
          .sync(
              "B",
              Function.action(TensorFunctions::keepRead),
              "k" + i,
              TensorFunctions.zeros(64L * MIB));
    }
    assertThat(driver.rpc().sync("B", TensorFunctions::allocate, 64 * MIB)).isEqualTo(4);
    for (int i = 0; i < 7; i++) {
      assertThat(driver.rpc().sync("B", TensorFunctions::forget, "k" + i)).isTrue();
    }
  }

  @Test
  void resultOutlivesSenderAndFilesAreRemoved() {
    long pid = cluster.processes().worker("A").handle().pid();
    Tensor result = driver.rpc().sync("A", TensorFunctions::make, 8 * MIB, 5);
    assertThat(result.storage().isLent()).isTrue();
    assertThat(filesOf(pid)).hasSizeGreaterThan(2);

    cluster.kill("A");

    cluster.awaitWorkers("B");
    Await.until("the files of A are gone", SOON, () -> filesOf(pid).isEmpty());
    assertThat(TensorFunctions.checksum(result))
        .isEqualTo(TensorFunctions.checksum(TensorFunctions.make(8 * MIB, 5)));
    result.release();
  }

  @Test
  void slotsOfDeadReceiverAreNeitherReusedNorLeaked() {
    driver
        .rpc()
        .sync("A", Function.action(TensorFunctions::keep), "x", TensorFunctions.make(8 * MIB, 1));
    assertThat(figures().lentBytes()).isGreaterThanOrEqualTo(8 * MIB);
    cluster.kill("A");
    cluster.awaitWorkers("B");
    awaitNothingHeld();
    Tensor tensor = TensorFunctions.make(8 * MIB, 2);
    assertThat(driver.rpc().sync("B", TensorFunctions::sum, tensor))
        .isEqualTo(TensorFunctions.checksum(tensor) + " lent");
  }

  @Test
  void senderContinuesWhenReceiverDiesDuringTransfer() {
    driver.rpc().sync("A", Function.action(TensorFunctions::closeGate));
    List<CompletableFuture<?>> calls = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      calls.add(
          driver
              .rpc()
              .async(
                  "A",
                  Function.action(TensorFunctions::waitAtGate),
                  TensorFunctions.make(2 * MIB, i)));
    }
    cluster.kill("A");
    for (CompletableFuture<?> call : calls) {
      assertThatThrownBy(call::join).hasCauseInstanceOf(GridException.class);
    }
    cluster.awaitWorkers("B");
  }
}
