package io.hazelgrad.cuda.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** A JVM with the artifact on a machine without a GPU. */
class AbsenceTest {
  /** Uses the CPU, then asks for a GPU twice. */
  static final class Probe {
    private Probe() {}

    public static void main(String[] args) {
      System.out.println("cpu " + Tensor.scalar(3).to(Device.sim(0)).item());
      for (int i = 0; i < 2; i++) {
        try {
          System.out.println("gpu " + Tensor.scalar(3).to(Device.gpu(0)).item());
        } catch (GridException e) {
          System.out.println(e.status() + " " + e.getMessage());
        }
      }
    }
  }

  @Test
  void gpuIsRefusedInOneLineAndTheRestWorks() throws Exception {
    Assumptions.assumeFalse(TestGpu.IS_REAL, "this machine has a GPU");
    ProcessBuilder builder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Probe.class.getName())
            // There the JVM warns, from Java 24 on, of libraries that JavaCPP loads.
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().remove("LD_LIBRARY_PATH"); // It leads to the fake.
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    String refusal =
        "BAD_CONFIG gpu:0 cannot be used: NVIDIA's driver 580 or newer and CUDA 13's cudart and"
            + " cublas are needed: ";
    assertThat(output.lines())
        .as(output)
        .hasSize(3)
        .startsWith("cpu 3.0")
        .satisfies(lines -> assertThat(lines.subList(1, 3)).allMatch(it -> it.contains(refusal)));
  }
}
