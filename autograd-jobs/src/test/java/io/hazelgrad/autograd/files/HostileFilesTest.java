package io.hazelgrad.autograd.files;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.autograd.nn.Linear;
import io.hazelgrad.autograd.onnx.OnnxExport;
import io.hazelgrad.autograd.onnx.OnnxModel;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Damaged files end in an error and allocate little, whatever is damaged. */
class HostileFilesTest {
  private static final int CASES = Boolean.getBoolean("hazelgrad.tests.full") ? 100_000 : 200;

  /** The readers have buffers of 1 MiB; all else is as small as the files. */
  private static final long MOST_ALLOCATED = 8 << 20;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @TempDir private Path folder;

  private interface Reader {
    Object read(Path file) throws IOException;
  }

  private static Map<String, Tensor> tensors() {
    Map<String, Tensor> tensors = new LinkedHashMap<>();
    tensors.put("a", Tensor.of(new float[] {1, 2, 3, 4, 5, 6}, 2, 3));
    tensors.put("b", Tensor.of(new long[] {1}, 1));
    tensors.put("c", Tensor.of(new boolean[] {true, false}, 2, 1));
    return tensors;
  }

  @Test
  void damagedSafeTensorsAreRefused() throws IOException {
    Path file = folder.resolve("x.safetensors");
    SafeTensors.of(tensors()).write(file);
    byte[] good = Files.readAllBytes(file);
    // Without the checksum the damage must be found otherwise, or be harmless.
    String text = new String(good, StandardCharsets.ISO_8859_1);
    byte[] unchecked = text.replace("crc32c", "crc_32").getBytes(StandardCharsets.ISO_8859_1);
    damage(unchecked, SafeTensors::read);
    damage(good, SafeTensors::read);
  }

  @Test
  void damagedArraysAreRefused() throws IOException {
    Path file = folder.resolve("x.npy");
    Npy.write(file, Tensor.of(new float[] {1, 2, 3, 4, 5, 6}, 2, 3));
    damage(Files.readAllBytes(file), Npy::read);
  }

  @Test
  void damagedArchivesAreRefused() throws IOException {
    Path file = folder.resolve("x.npz");
    Npz.writeCompressed(file, tensors());
    damage(Files.readAllBytes(file), Npz::read);
  }

  @Test
  void damagedModelsAreRefused() throws IOException {
    Init init = Init.seeded(1);
    OnnxModel model = OnnxExport.of(new Linear(3, 2, init), init.uniform(0, 1, 2, 3)).toModel();
    damage(
        model.bytes(),
        file -> {
          OnnxModel read = OnnxModel.read(file);
          Map<String, Tensor> inputs = new LinkedHashMap<>();
          read.inputs().forEach(input -> inputs.put(input.name(), init.full(1, 2, 3)));
          return read.run(inputs);
        });
  }

  /** Reads files with changed bytes, runs of bytes and lengths. */
  private void damage(byte[] good, Reader reader) throws IOException {
    Random random = new Random(good.length);
    Path file = folder.resolve("damaged");
    int refused = 0;
    for (int i = 0; i < CASES; i++) {
      byte[] bad = good.clone();
      switch (random.nextInt(4)) {
        case 0 -> bad = Arrays.copyOf(bad, random.nextInt(bad.length + 50));
        case 1 -> {
          int from = random.nextInt(bad.length);
          Arrays.fill(
              bad,
              from,
              Math.min(bad.length, from + 1 + random.nextInt(9)),
              (byte) random.nextInt());
        }
        default -> {
          for (int n = random.nextInt(3); n >= 0; n--) {
            bad[random.nextInt(bad.length)] = (byte) random.nextInt();
          }
        }
      }
      Files.write(file, bad);
      long before = THREADS.getCurrentThreadAllocatedBytes();
      try {
        assertThat(reader.read(file)).isNotNull();
      } catch (GridException e) {
        assertThat(Set.of(Status.BAD_VALUE, Status.NOT_ALLOWED, Status.BAD_ARGUMENT))
            .as("case %s: %s", i, e)
            .contains(e.status());
        refused++;
      } catch (IOException e) {
        assertThat(e.getMessage()).as("case %s", i).isNotNull();
        refused++;
      }
      assertThat(THREADS.getCurrentThreadAllocatedBytes() - before)
          .as("bytes that case %s allocated", i)
          .isLessThan(MOST_ALLOCATED);
    }
    assertThat(refused).isGreaterThan(CASES / 10);
  }
}
