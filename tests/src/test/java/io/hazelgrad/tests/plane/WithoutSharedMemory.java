package io.hazelgrad.tests.plane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.testkit.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Base class of tests of large tensors between processes that share no memory. */
abstract class WithoutSharedMemory extends TwoWorkers {
  static void startWithoutSharedMemory(String... more) {
    List<String> options = new ArrayList<>(List.of(more));
    options.add("-Dhazelgrad.plane.shared-bytes=0");
    options.add("-Xmx1g"); // By default no array of 256 MiB fits.
    start(options.toArray(String[]::new));
  }

  @Test
  void largeTensorTravelsBothWaysWhileSmallCallsPass() {
    Tensor tensor = TensorFunctions.make(128 * MIB, 3);
    CompletableFuture<Tensor> echo = driver.rpc().async("A", TensorFunctions::echo, tensor);
    int pings = 0;
    while (!echo.isDone()) {
      assertThat(driver.rpc().sync("A", TensorFunctions::ping)).isEqualTo(1);
      pings++;
    }
    assertThat(TensorFunctions.checksum(echo.join())).isEqualTo(TensorFunctions.checksum(tensor));
    assertThat(pings).as("small calls that passed the large one").isGreaterThan(10);
    assertThat(figures().chunked().tensors()).isPositive();
  }

  @Test
  void senderContinuesWhenReceiverDiesDuringTransfer() {
    CompletableFuture<?> call =
        driver
            .rpc()
            .async("A", Function.action(TensorFunctions::take), TensorFunctions.make(256 * MIB, 1));
    Await.until("a fetch has begun", SOON, () -> figures().offered() > 0);
    cluster.kill("A");
    assertEndsWith(Status.WORKER_LOST, call);
  }

  @Test
  void receiverContinuesWhenSenderDiesDuringTransfer() {
    CompletableFuture<Tensor> call = driver.rpc().async("B", TensorFunctions::make, 256 * MIB, 1);
    Await.until(
        SOON, () -> figures().arrivingBytes() > 0 ? "" : "the result is not arriving yet: " + call);
    cluster.kill("B");
    assertEndsWith(Status.WORKER_LOST, call);
  }

  private static void assertEndsWith(Status status, CompletableFuture<?> call) {
    assertThat(catchThrowableOfType(GridException.class, () -> Rpc.await(call)).status())
        .isEqualTo(status);
  }
}
