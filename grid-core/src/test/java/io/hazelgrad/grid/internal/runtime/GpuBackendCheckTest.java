package io.hazelgrad.grid.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What can be known of GPUs without one. */
class GpuBackendCheckTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "3.7, Tesla K80",
        "5.2, Quadro M6000",
        "6.1, NVIDIA GeForce GTX 1080",
        "7.0, Tesla V100-SXM2-16GB",
        "7.5, Tesla T4",
        "8.0, NVIDIA A100-SXM4-40GB",
        "8.6, NVIDIA RTX A4000",
        "8.9, NVIDIA L4"
      })
  void gpuIsAcceptedWithMachineCode(String line) {
    GpuBackendCheck.requireSupported(List.of(line, line));
  }

  @ParameterizedTest
  @ValueSource(strings = {"3.5, Tesla K40c", "9.0, NVIDIA H100 80GB HBM3", "12.0, Some GPU"})
  void gpuIsRefusedByNameWithoutMachineCode(String line) {
    String[] parts = line.split(", ", 2);
    refused(
        () -> GpuBackendCheck.requireSupported(List.of("8.6, NVIDIA RTX A4000", line)),
        "compute capability 3.7 to 8.9; " + parts[1] + " has " + parts[0]);
  }

  @Test
  void deviceIsRefusedWhenNoGpu() {
    refused(() -> GpuBackendCheck.requireSupported(List.of()), "found no GPU");
    refused(
        () -> GpuBackendCheck.requireSupported(List.of("No devices were found")),
        "\"No devices were found\"");
    refused(
        () -> GpuBackendCheck.requireSupported(List.of("[N/A], Old GPU")), "\"[N/A], Old GPU\"");
  }

  /** The same computation must be right on the CPU, whose backend is on the class path here. */
  @Test
  void cpuIsAlwaysAccepted() {
    GpuBackendCheck.requireUsable();
    GpuBackendCheck.requireRightResults();
  }

  private static void refused(ThrowingCallable check, String part) {
    assertThatThrownBy(check)
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).isEqualTo(Status.BAD_CONFIG))
        .hasMessageContaining("ND4J's backend for GPUs (Maven profile cuda)")
        .hasMessageContaining(part);
  }
}
