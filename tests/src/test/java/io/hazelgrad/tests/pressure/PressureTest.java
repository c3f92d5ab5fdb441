package io.hazelgrad.tests.pressure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Workers that lack memory, time, files or room: they say so, and the others go on. */
@ExtendWith(Leftovers.class)
@Tag("slow")
class PressureTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int FILES = 400;

  /** The exit code of a member whose heap is full. */
  private static final int OUT_OF_MEMORY = 3;

  @Test
  void workerSaysSoAndEndsWhenItsHeapIsFullAndOthersGoOn() {
    try (JvmCluster cluster = JvmCluster.workers("A", "B").jvmOptions("-Xmx96m").start()) {
      CompletableFuture<String> end = new CompletableFuture<>();
      cluster
          .processes()
          .onExit(exit -> end.complete(exit.worker() + " " + exit.code() + " " + exit.output()));
      assertThatThrownBy(() -> cluster.grid().rpc().sync("A", PressureFunctions::tooLarge))
          .as("a function with a mistake does not end its worker")
          .isInstanceOfSatisfying(
              GridException.class, e -> assertThat(e.status()).isEqualTo(Status.USER_ERROR))
          .hasMessageContaining("OutOfMemoryError");
      assertThat(cluster.grid().rpc().sync("A", PressureFunctions::ping)).isEqualTo(1);

      assertThatThrownBy(
              () -> cluster.grid().rpc().within(PATIENCE).sync("A", PressureFunctions::fillHeap))
          .isInstanceOf(GridException.class);
      assertThat(end.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join())
          .startsWith("A " + OUT_OF_MEMORY)
          .contains("out of memory");
      cluster.awaitAgreement("B");
      assertThat(cluster.grid().rpc().sync("B", PressureFunctions::ping)).isEqualTo(1);
    }
  }

  @Test
  void nobodyIsLostWhenSmallHeapsAreCollectedInFullAgainAndAgain() {
    try (JvmCluster cluster =
        JvmCluster.workers("A", "B")
            .jvmOptions("-Xmx64m", "-XX:-ExplicitGCInvokesConcurrent")
            .start()) {
      List<Worker> before = cluster.grid().workers();
      List<CompletableFuture<Integer>> all =
          Stream.of("A", "B", "A", "B")
              .map(
                  worker ->
                      cluster
                          .grid()
                          .rpc()
                          .within(PATIENCE)
                          .async(worker, PressureFunctions::garbage, 500))
              .toList();
      while (!all.stream().allMatch(CompletableFuture::isDone)) {
        assertThat(cluster.grid().rpc().within(PATIENCE).sync("A", PressureFunctions::ping))
            .isEqualTo(1);
      }
      assertThat(all).allMatch(each -> each.join() == 500);
      assertThat(cluster.grid().workers()).containsExactlyElementsOf(before);
    }
  }

  @Test
  void workerIsGivenUpAndComesBackWhenItPausesForLongerThanTheHeartbeat() {
    try (JvmCluster cluster = JvmCluster.workers("A", "B").start()) {
      cluster.awaitAgreement("A", "B");
      Worker before = cluster.grid().worker("A");
      CompletableFuture<Integer> call =
          cluster.grid().rpc().within(PATIENCE).async("A", PressureFunctions::garbage, 100_000);
      cluster.freeze("A");
      cluster.awaitAgreement("B");
      assertThatThrownBy(() -> Rpc.await(call))
          .isInstanceOfSatisfying(
              GridException.class, e -> assertThat(e.status()).isEqualTo(Status.WORKER_LOST));
      cluster.thaw("A");
      cluster.awaitAgreement("A", "B");
      assertThat(cluster.grid().worker("A").id()).isGreaterThan(before.id());
      assertThat(cluster.grid().rpc().sync("A", PressureFunctions::ping)).isEqualTo(1);
    }
  }

  @Test
  void tensorsTravelOtherwiseWhenSharedMemoryIsFull(@TempDir Path folder) throws Exception {
    Path small = Files.createDirectory(folder.resolve("small"));
    assumeTrue(mount(small), "a small file system needs root and mount");
    try (JvmCluster cluster =
        JvmCluster.workers("A", "B").jvmOptions("-Dhazelgrad.plane.directory=" + small).start()) {
      fill(small.resolve("others"), 8 << 20);
      for (int i = 0; i < 5; i++) {
        Tensor tensor = Tensor.full(DType.FLOAT32, i, 2 << 20);
        assertThat(cluster.grid().rpc().sync("A", PressureFunctions::relay, "B", tensor))
            .isEqualTo(tensor.size());
      }
      assertThat(cluster.grid().workers()).hasSize(3);
    } finally {
      run("umount", small.toString());
    }
  }

  private static boolean mount(Path folder) throws Exception {
    return run("mount", "-t", "tmpfs", "-o", "size=8m", "hazelgrad", folder.toString()) == 0;
  }

  private static int run(String... command) throws Exception {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }

  private static void fill(Path file, int bytes) {
    try (var out = Files.newOutputStream(file)) {
      byte[] page = new byte[4096];
      for (int i = 0; i < bytes / page.length; i++) {
        out.write(page);
      }
    } catch (IOException full) {
      // As it should be.
    }
  }

  @Test
  void workerServesOnAndIsWholeAgainWhenItHadNoMoreOpenFiles() {
    try (JvmCluster cluster = JvmCluster.workers("A", "B").openFiles(FILES).start()) {
      List<Worker> before = cluster.grid().workers();
      Tensor small = Tensor.full(DType.FLOAT32, 1, 2 << 20); // Its classes are loaded by that.
      assertThat(cluster.grid().rpc().sync("A", PressureFunctions::echo, small).size())
          .isEqualTo(small.size());
      assertThat(cluster.grid().rpc().sync("A", PressureFunctions::openFiles)).isPositive();
      for (int i = 0; i < 20; i++) {
        assertThat(cluster.grid().rpc().sync("A", PressureFunctions::ping)).isEqualTo(1);
      }
      Tensor shared = Tensor.full(DType.FLOAT32, 1, 4 << 20); // In a segment that A does not know.
      assertThatThrownBy(() -> cluster.grid().rpc().sync("A", PressureFunctions::echo, shared))
          .isInstanceOf(GridException.class)
          .hasMessageContaining("Too many open files");
      assertThat(cluster.grid().rpc().sync("A", PressureFunctions::closeFiles)).isPositive();
      assertThat(cluster.grid().rpc().sync("A", PressureFunctions::relay, "B", shared))
          .isEqualTo(shared.size());
      assertThat(cluster.grid().workers()).containsExactlyElementsOf(before);
    }
  }
}
