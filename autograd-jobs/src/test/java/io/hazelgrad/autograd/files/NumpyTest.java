package io.hazelgrad.autograd.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** NumPy's files: the resources were written by NumPy 1.24. */
class NumpyTest {
  @TempDir private Path folder;

  private Path resource(String name) throws IOException {
    try (InputStream in = Objects.requireNonNull(getClass().getResourceAsStream(name), name)) {
      return Files.write(folder.resolve(name), in.readAllBytes());
    }
  }

  private static void isRefused(ThrowingCallable read, String reason) {
    assertThatThrownBy(read)
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).isEqualTo(Status.BAD_VALUE))
        .hasMessageContaining(reason);
  }

  @Test
  void arrayIsReadAndWrittenAsNumpyWritesIt() throws IOException {
    Tensor x = Tensor.of(new float[] {0, 1, 2, 3, 4, 5}, 2, 3);
    Path file = resource("float.npy");
    assertThat(Npy.read(file)).isEqualTo(x);
    Path ours = folder.resolve("ours.npy");
    Npy.write(ours, x);
    assertThat(ours).hasSameBinaryContentAs(file);
  }

  @Test
  void arrayIsReadWhenItsOrderIsFortransOrItsBytesAreBigEndian() throws IOException {
    Tensor x = Tensor.of(new long[] {0, 1, 2, 3, 4, 5}, 2, 3);
    assertThat(Npy.read(resource("fortran.npy"))).isEqualTo(x.to(DType.FLOAT64));
    assertThat(Npy.read(resource("big_endian.npy"))).isEqualTo(x.to(DType.INT32));
  }

  @Test
  void archivesAreReadAsNumpyWroteThem() throws IOException {
    Map<String, Tensor> expected = new LinkedHashMap<>();
    expected.put("scalar", Tensor.scalar(2.5));
    expected.put("flags", Tensor.of(new boolean[] {true, false, true}, 3));
    expected.put("layer.weight", Tensor.of(new long[] {1, 2}, 2, 1).to(DType.FLOAT16));
    assertThat(Npz.read(resource("stored.npz"))).isEqualTo(expected);
    assertThat(Npz.read(resource("compressed.npz"))).isEqualTo(expected);
  }

  @Test
  void tensorsOfAllTypesAreReadAsWritten() throws IOException {
    Map<String, Tensor> tensors = new LinkedHashMap<>();
    for (DType dtype : DType.values()) {
      if (dtype != DType.BFLOAT16) {
        tensors.put("x." + dtype, Tensor.of(new long[] {0, 1, 1}, 3, 1).to(dtype));
      }
    }
    Path file = folder.resolve("x.npz");
    Npz.write(file, tensors);
    assertThat(Npz.read(file)).isEqualTo(tensors);
    Npz.writeCompressed(file, tensors);
    assertThat(Npz.read(file)).isEqualTo(tensors);
    Tensor brain = Tensor.zeros(DType.BFLOAT16, 2);
    assertThatThrownBy(() -> Npy.write(file, brain))
        .hasMessageContaining("NumPy has no BFLOAT16; convert it with to(DType.FLOAT32)");
    assertThat(Npz.read(file)).isEqualTo(tensors);
  }

  @Test
  void archiveIsRefusedWhenItGrowsTooMuch() throws IOException {
    Path bomb = folder.resolve("bomb.npz");
    Npz.writeCompressed(bomb, Map.of("zeros", Tensor.zeros(DType.FLOAT32, 1 << 20)));
    assertThat(Files.size(bomb)).isLessThan(10_000);
    isRefused(() -> Npz.read(bomb), "read(file, maxBytes) allows more");
    assertThat(Npz.read(bomb, 5 << 20)).containsOnlyKeys("zeros");
  }

  @Test
  void archiveIsRefusedWhenItIsNone() throws IOException {
    Path file = folder.resolve("x.npz");
    Files.writeString(file, "PK but no zip");
    isRefused(() -> Npz.read(file), "is no zip file");
    try (OutputStream out = Files.newOutputStream(file);
        ZipOutputStream zip = new ZipOutputStream(out)) {
      zip.putNextEntry(new ZipEntry("notes.txt"));
    }
    isRefused(() -> Npz.read(file), "has the entry \"notes.txt\"");
  }

  @Test
  void arrayIsRefusedWhenItsHeaderIsWrong() throws IOException {
    isRefused(header("<f4", "(3,)"), "has the shape [3] of FLOAT32, but 8 bytes");
    isRefused(header("<f4", "(-2,)"), "has no shape");
    isRefused(header("<f4", "(99999999999, 99999999999)"), "has the shape");
    isRefused(header("<f4", "(99999999999999999999,)"), "has the shape");
    isRefused(header("|O", "(1,)"), "of the type |O");
    isRefused(header("<c8", "(1,)"), "of the type <c8");
    isRefused(header("|b1", "(8,)"), "has the boolean 7");
  }

  private ThrowingCallable header(String descr, String shape) throws IOException {
    String header =
        "{'descr': '%s', 'fortran_order': False, 'shape': %s, }".formatted(descr, shape);
    byte[] text =
        ("\u0093NUMPY\1\0" + (char) header.length() + "\0" + header + "\7\7\7\7\7\7\7\7")
            .getBytes(StandardCharsets.ISO_8859_1);
    Path file = Files.write(folder.resolve("x.npy"), text);
    return () -> Npy.read(file);
  }
}
