package io.hazelgrad.grid.internal.runtime;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.NdArrayCopies;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Says, before a worker starts, whether ND4J's backend for GPUs can run here, if it is the one on
 * the class path: its library has machine code for certain GPUs only, and nothing from which a
 * driver could make code for others; it fails on those in the middle of work, and obscurely.
 */
public final class GpuBackendCheck {
  private static final String PREFIX = "ND4J's backend for GPUs (Maven profile cuda) ";
  private static final String BACKEND = "org/nd4j/linalg/jcublas/JCublasBackend.class";
  private static final List<String> QUERY =
      List.of("nvidia-smi", "--query-gpu=compute_cap,name", "--format=csv,noheader");
  private static final int QUERY_SECONDS = 20;
  private static final Pattern LINE = Pattern.compile("(\\d+)\\.(\\d+), *(.+)");

  /**
   * What libnd4jcuda of 1.0.0-M2.1 has machine code for. Code for a GPU runs on those of the same
   * major number and no smaller minor one.
   */
  private static final List<Capability> COMPILED =
      List.of(
          new Capability(3, 7),
          new Capability(5, 0),
          new Capability(6, 0),
          new Capability(7, 0),
          new Capability(8, 0));

  /** NVIDIA's number for what a GPU can do. */
  record Capability(int major, int minor) {
    boolean runs(Capability compiled) {
      return major == compiled.major && minor >= compiled.minor;
    }

    @Override
    public String toString() {
      return major + "." + minor;
    }
  }

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
      Capability capability =
          new Capability(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
      if (COMPILED.stream().noneMatch(capability::runs)) {
        throw bad(
            "runs on GPUs of compute capability 3.7 to 8.9; "
                + matcher.group(3)
                + " has "
                + capability);
      }
    }
  }

  private static List<String> gpus() {
    try {
      Process process = new ProcessBuilder(QUERY).redirectErrorStream(true).start();
      try (BufferedReader output =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
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
