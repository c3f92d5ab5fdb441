package io.hazelgrad.autograd.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.autograd.files.SafeTensors;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checkpoints in files: what was written is read, or an error says what is wrong. */
class CheckpointTest {
  @TempDir private Path folder;

  private Path file;

  @BeforeEach
  void name() {
    file = folder.resolve("model.safetensors");
  }

  private static Checkpoint checkpoint() {
    Map<String, Tensor> state = new LinkedHashMap<>();
    state.put("step", Tensor.wrap(new long[] {3}));
    state.put("exp_avg", Tensor.of(new float[] {1, Float.NaN, -0.0f, Float.MIN_VALUE}, 2, 2));
    return new Checkpoint(
        List.of(Tensor.of(new float[] {1, 2, 3, 4}, 2, 2), Tensor.scalar(Math.PI)),
        new OptimizerState(List.of(state, Map.of()), 42),
        Map.of("epoch", Tensor.wrap(new long[] {7}), "a.b \"c\"", Tensor.zeros(DType.BOOL, 0)));
  }

  private static void assertSame(Checkpoint actual, Checkpoint expected) {
    assertThat(actual.parameters()).isEqualTo(expected.parameters());
    assertThat(actual.optimizer().scheduleStep()).isEqualTo(expected.optimizer().scheduleStep());
    assertThat(actual.optimizer().parameters()).isEqualTo(expected.optimizer().parameters());
    assertThat(actual.extras()).isEqualTo(expected.extras());
  }

  private void isDamaged(byte[] bytes, String text) throws IOException {
    Files.write(file, bytes);
    assertThatThrownBy(() -> Checkpoint.read(file))
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).isEqualTo(Status.BAD_VALUE))
        .hasMessageStartingWith("checkpoint " + file)
        .hasMessageContaining(text);
  }

  @Test
  void checkpointIsReadAsWritten() throws IOException {
    checkpoint().write(file);
    assertSame(Checkpoint.read(file), checkpoint());
  }

  @Test
  void elementTypesAreKept() throws IOException {
    Map<String, Tensor> tensors = new LinkedHashMap<>();
    for (DType dtype : DType.values()) {
      tensors.put(dtype.name(), Tensor.of(new long[] {0, 1, 1}, 3).to(dtype));
    }
    new Checkpoint(List.of(), new OptimizerState(List.of(), 0), tensors).write(file);
    assertThat(Checkpoint.read(file).extras()).isEqualTo(tensors);
  }

  @Test
  void tensorsOfManyChunksAreKept() throws IOException {
    float[] data = new float[1_000_003];
    for (int i = 0; i < data.length; i++) {
      data[i] = i;
    }
    Tensor large = Tensor.wrap(data, data.length);
    new Checkpoint(List.of(), new OptimizerState(List.of(), 0), Map.of("large", large)).write(file);
    assertThat(Checkpoint.read(file).extras().get("large")).isEqualTo(large);
  }

  @Test
  void unfinishedFilesAreDeletedWhenTheirWriterIsGone() throws IOException {
    Path abandoned = unfinished(".model.safetensors." + UUID.randomUUID(), 2);
    Path ofALivingWriter = unfinished(".model.safetensors." + UUID.randomUUID(), 0);
    Path ofAnotherFile = unfinished(".other.safetensors." + UUID.randomUUID(), 2);
    Path ofAUser = unfinished(".model.safetensors.notes", 2);
    checkpoint().write(file);
    assertThat(abandoned).doesNotExist();
    assertThat(ofALivingWriter).exists();
    assertThat(ofAnotherFile).exists();
    assertThat(ofAUser).exists();
    assertSame(Checkpoint.read(file), checkpoint());
  }

  private Path unfinished(String name, int hours) throws IOException {
    Path written = Files.writeString(folder.resolve(name), "unfinished");
    Instant time = Instant.now().minus(Duration.ofHours(hours));
    return Files.setLastModifiedTime(written, FileTime.from(time));
  }

  /** As the format has it: the length of a JSON text, the text, the elements. */
  @Test
  void fileHasFormatOfSafetensors() throws IOException {
    Tensor value = Tensor.of(new float[] {1, 2}, 2);
    new Checkpoint(List.of(value), new OptimizerState(List.of(Map.of()), 5), Map.of()).write(file);
    byte[] bytes = Files.readAllBytes(file);
    int length = bytes[0] & 0xff;
    assertThat(Arrays.copyOfRange(bytes, 1, 8)).containsOnly(0);
    assertThat(8 + length + 8).isEqualTo(bytes.length);
    assertThat((8 + length) % 8).isZero();
    assertThat(new String(bytes, 8, length, StandardCharsets.UTF_8).strip())
        .matches(
            "\\{\"__metadata__\":\\{\"crc32c\":\"[0-9a-f]{8}\",\"format\":\"hazelgrad.checkpoint\","
                + "\"version\":\"1\",\"parameters\":\"1\",\"schedule_step\":\"5\"},"
                + "\"parameter.0\":\\{\"dtype\":\"F32\",\"shape\":\\[2],"
                + "\"data_offsets\":\\[0,8]}}");
    assertThat(Arrays.copyOfRange(bytes, 8 + length, bytes.length))
        .containsExactly(0, 0, (byte) 0x80, 0x3f, 0, 0, 0, 0x40);
  }

  @Test
  void everyBitIsChecked() throws IOException {
    checkpoint().write(file);
    byte[] good = Files.readAllBytes(file);
    for (int i = 0; i < good.length; i++) {
      byte[] bad = good.clone();
      bad[i] ^= (byte) (1 << (i % 8));
      isDamaged(bad, "");
    }
  }

  @Test
  void fileIsRefusedWhenCutOrLonger() throws IOException {
    checkpoint().write(file);
    byte[] good = Files.readAllBytes(file);
    for (int length = 0; length < good.length; length++) {
      isDamaged(Arrays.copyOf(good, length), "");
    }
    isDamaged(Arrays.copyOf(good, good.length + 1), "bytes of tensors");
  }

  @Test
  void fileIsRefusedWhenOfAnotherKind() throws IOException {
    isDamaged(new byte[0], "has 0 bytes only");
    isDamaged(new byte[1000], "has no checksum");
    byte[] huge = new byte[1000];
    Arrays.fill(huge, (byte) 0x7f);
    isDamaged(huge, "says that its header has 9187201950435737471 of its 1000 bytes");
  }

  @Test
  void fileIsRefusedWhenVersionIsLater() throws IOException {
    Map<String, String> later = Map.of("format", "hazelgrad.checkpoint", "version", "2");
    new SafeTensors(later, Map.of()).write(file);
    isDamaged(
        Files.readAllBytes(file),
        "version 2; this Hazelgrad reads hazelgrad.checkpoint, version 1");
  }

  @Test
  void fileIsReplacedAtomically() throws IOException {
    checkpoint().write(file);
    Checkpoint second =
        new Checkpoint(List.of(), new OptimizerState(List.of(), 1), Map.of("x", Tensor.scalar(1)));
    second.write(file);
    assertSame(Checkpoint.read(file), second);
    Path taken = Files.createDirectories(folder.resolve("taken").resolve("inside")).getParent();
    assertThatThrownBy(() -> second.write(taken)).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> second.write(folder.resolve("none").resolve("x")))
        .isInstanceOf(IOException.class);
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).containsExactlyInAnyOrder(file, taken);
    }
  }

  @Test
  void fileIsRefusedWhenAbsent() {
    assertThatThrownBy(() -> Checkpoint.read(file)).isInstanceOf(IOException.class);
  }

  @Test
  void parametersAndStatesAreStoredTogether() {
    assertThatThrownBy(
            () -> new Checkpoint(List.of(), new OptimizerState(List.of(Map.of()), 0), Map.of()))
        .isInstanceOf(GridException.class)
        .hasMessageContaining("parameters=0");
  }
}
