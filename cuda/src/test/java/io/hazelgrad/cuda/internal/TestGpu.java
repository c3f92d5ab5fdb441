package io.hazelgrad.cuda.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.grid.Device;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/**
 * The GPU of the tests: the fake of fake.cpp, which g++ builds, or with {@code
 * -Dhazelgrad.test.gpu=real} that of this machine.
 */
final class TestGpu {
  static final Device DEVICE = Device.gpu(0);

  /** True if tests run on a GPU of this machine. */
  static final boolean IS_REAL = "real".equals(System.getProperty("hazelgrad.test.gpu"));

  /** The loader's path in this JVM and its children, see pom.xml. */
  static final Path FOLDER = Path.of("target", "fake-gpu").toAbsolutePath();

  private static final String DRIVER = "libcuda.so.1";
  private static final List<String> LIBRARIES =
      List.of(DRIVER, "libcudart.so.13", "libcublas.so.13", "libcublasLt.so.13");
  private static final String[] FLAGS = {
    "-std=c++17", "-O1", "-ffp-contract=off", "-w", "-Isrc/main/cuda", "src/test/cuda/fake.cpp"
  };
  private static final int BUILD_SECONDS = 120;

  /** Why there is no GPU; null if there is one. */
  private static final String ABSENCE = IS_REAL ? removeFake() : loadFake();

  private TestGpu() {}

  /** Returns the GPU; skips the test, with the reason, if there is none. */
  static Gpu open() {
    Assumptions.assumeTrue(ABSENCE == null, () -> ABSENCE);
    return Gpus.of(DEVICE);
  }

  static Backend backend() {
    Gpu unused = open();
    return new CudaBackends().backend(DEVICE);
  }

  /** Removes what an earlier run has left on the loader's path. */
  private static String removeFake() {
    try {
      for (String library : LIBRARIES) {
        Files.deleteIfExists(FOLDER.resolve(library));
      }
      return null;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String loadFake() {
    try {
      Files.createDirectories(FOLDER);
      // Other JVMs do the same, so each builds for itself, and moves what is complete.
      Path own = Files.createTempDirectory(FOLDER, "own");
      for (String library : LIBRARIES) {
        // The others are empty, and lead to the driver's.
        String[] empty = {"-Wl,--no-as-needed", "-L" + own, "-l:" + DRIVER};
        build(own, library, library.equals(DRIVER) ? FLAGS : empty);
      }
      for (String library : LIBRARIES) {
        Path built = FOLDER.resolve(library);
        Files.move(own.resolve(library), built, StandardCopyOption.ATOMIC_MOVE);
        Files.delete(own.resolve(library + ".log"));
        System.load(built.toString());
      }
      Files.delete(own);
      return null;
    } catch (IOException e) {
      return "no GPU, and none can be simulated without g++: " + e.getMessage();
    }
  }

  private static void build(Path folder, String library, String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(List.of("g++", "-shared", "-fPIC", "-Wl,-z,noexecstack"));
    command.add("-Wl,-soname," + library);
    command.addAll(List.of("-o", folder.resolve(library).toString()));
    command.addAll(List.of(arguments));
    Path log = folder.resolve(library + ".log");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      boolean ended = process.waitFor(BUILD_SECONDS, TimeUnit.SECONDS);
      assertThat(ended).as("g++ has ended within %s s", BUILD_SECONDS).isTrue();
      assertThat(process.exitValue()).as("%s: %s", command, Files.readString(log)).isZero();
    } catch (InterruptedException e) {
      throw new UncheckedIOException(new IOException(e));
    } finally {
      process.destroyForcibly();
    }
  }
}
