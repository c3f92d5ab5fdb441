package io.hazelgrad.grid.internal.runtime;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.NdArrayCopies;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Checks, before a worker starts, that ND4J's backend for GPUs can run here if it is on the class
 * path. Its library has machine code for certain GPUs only; on others it fails in the middle of
 * work.
 */
public final class GpuBackendCheck {
  private static final String PREFIX = "ND4J's backend for GPUs (Maven profile cuda) ";
  private static final String BACKEND = "org/nd4j/linalg/jcublas/JCublasBackend.class";
  private static final List<String> QUERY =
      List.of("nvidia-smi", "--query-gpu=compute_cap,name", "--format=csv,noheader");
  private static final int QUERY_SECONDS = 20;
  private static final Pattern LINE = Pattern.compile("(\\d+)\\.(\\d+), *(.+)");

  /**
   * The compute capabilities that libnd4jcuda of 1.0.0-M2.1 has machine code for: the major number,
   * and the least minor one that it runs on.
   */
  private static final Map<Integer, Integer> COMPILED = Map.of(3, 7, 5, 0, 6, 0, 7, 0, 8, 0);

  private GpuBackendCheck() {}

  /**
   * Checks the GPUs of this machine, and a small computation; nothing if ND4J computes on the CPU.
   *
   * @throws GridException BAD_CONFIG, with the GPU
   */
  public static void requireUsable() {
    if (GpuBackendCheck.class.getClassLoader().getResource(BACKEND) != null) {
      requireSupported(gpus());
      requireRightResults();
    }
  }

  /**
   * Checks GPUs.
   *
   * @param lines what nvidia-smi says: compute capability and name of each, such as {@code "8.6,
   *     NVIDIA RTX A4000"}
   */
  static void requireSupported(List<String> lines) {
    if (lines.isEmpty()) {
      throw bad("found no GPU");
    }
    for (String line : lines) {
      Matcher matcher = LINE.matcher(line.strip());
      if (!matcher.matches()) {
        throw bad("does not understand what nvidia-smi says of a GPU: \"" + line + "\"");
      }
      int major = Integer.parseInt(matcher.group(1));
      int minor = Integer.parseInt(matcher.group(2));
      if (minor < COMPILED.getOrDefault(major, Integer.MAX_VALUE)) {
        throw bad(
            "runs on GPUs of compute capability 3.7 to 8.9; %s has %s.%s"
                .formatted(matcher.group(3), major, minor));
      }
    }
  }

  private static List<String> gpus() {
    try {
      Process process = new ProcessBuilder(QUERY).redirectErrorStream(true).start();
      try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
        // It writes less than a pipe holds, so it ends though nobody reads yet.
        if (!process.waitFor(QUERY_SECONDS, TimeUnit.SECONDS)) {
          throw bad("waited for nvidia-smi for " + QUERY_SECONDS + " s");
        }
        List<String> lines = output.lines().toList();
        if (process.exitValue() != 0) {
          throw bad("needs a GPU and its driver; nvidia-smi says: " + String.join(" ", lines));
        }
        return lines;
      } finally {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      throw new GridException(
          Status.BAD_CONFIG, PREFIX + "needs a GPU and its driver, with nvidia-smi", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new GridException(Status.CANCELLED, "interrupted while asking for GPUs", e);
    }
  }

  /** Checks that what is copied to ND4J and back is what was computed with. */
  static void requireRightResults() {
    Tensor x = Tensor.wrap(new double[] {1, 2, 3, 4}, 2, 2);
    try (INDArray array = NdArrayCopies.toArray(x);
        INDArray product = array.mmul(array);
        INDArray rowByRow = product.dup('c')) {
      double[] found = NdArrayCopies.fromArray(rowByRow).toDoubles();
      if (!Arrays.equals(found, new double[] {7, 10, 15, 22})) {
        throw bad("computes wrongly here: " + Arrays.toString(found));
      }
    }
  }

  private static GridException bad(String what) {
    return new GridException(Status.BAD_CONFIG, PREFIX + what);
  }
}
