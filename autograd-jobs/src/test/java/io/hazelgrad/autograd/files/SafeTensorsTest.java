package io.hazelgrad.autograd.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of safetensors: those of other tools are read, and wrong ones refused with the reason. */
class SafeTensorsTest {
  @TempDir private Path folder;

  /** Writes a file as the format has it, without a checksum. */
  private Path file(String header, float... elements) throws IOException {
    byte[] json = header.getBytes(StandardCharsets.UTF_8);
    ByteBuffer bytes =
        ByteBuffer.allocate(8 + json.length + 4 * elements.length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putLong(json.length).put(json);
    for (float element : elements) {
      bytes.putFloat(element);
    }
    return Files.write(folder.resolve("other.safetensors"), bytes.array());
  }

  private void isRefused(Path file, String reason) {
    assertThatThrownBy(() -> SafeTensors.read(file))
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).isEqualTo(Status.BAD_VALUE))
        .hasMessageStartingWith(file.toString())
        .hasMessageContaining(reason);
  }

  @Test
  void fileOfAnotherToolIsReadWhenItsTensorsAreInAnyOrder() throws IOException {
    Path file =
        file(
            "{\"b\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[8,12]},"
                + "\"empty\":{\"dtype\":\"I64\",\"shape\":[0,3],\"data_offsets\":[8,8]},"
                + "\"__metadata__\":{\"format\":\"pt\"},"
                + "\"a.weight\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[0,8]}}  ",
            1,
            2,
            3);
    SafeTensors read = SafeTensors.read(file);
    assertThat(read.metadata()).isEqualTo(Map.of("format", "pt"));
    assertThat(read.tensors().keySet()).containsExactly("b", "empty", "a.weight");
    assertThat(read.tensors())
        .containsEntry("b", Tensor.of(new float[] {3}))
        .containsEntry("empty", Tensor.zeros(DType.INT64, 0, 3))
        .containsEntry("a.weight", Tensor.of(new float[] {1, 2}, 2, 1));
    assertThatThrownBy(() -> SafeTensors.readChecked(file)).hasMessageContaining("no checksum");
  }

  @Test
  void tensorsAreReadAsWritten() throws IOException {
    Map<String, Tensor> tensors = new LinkedHashMap<>();
    for (DType dtype : DType.values()) {
      tensors.put("layers.0." + dtype, Tensor.of(new long[] {0, 1, 1}, 3, 1).to(dtype));
    }
    Path file = folder.resolve("model.safetensors");
    SafeTensors.of(tensors).write(file);
    SafeTensors read = SafeTensors.readChecked(file);
    assertThat(read.tensors()).isEqualTo(tensors);
    assertThat(read.metadata()).isEqualTo(Map.of("format", "pt"));
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length - 1] ^= 1;
    isRefused(Files.write(file, bytes), "its checksum is");
  }

  @Test
  void fileIsRefusedWhenItsHeaderIsWrong() throws IOException {
    String tensor = "{\"a\":{\"dtype\":\"%s\",\"shape\":%s,\"data_offsets\":%s}}";
    isRefused(file(tensor.formatted("F32", "[2]", "[0,4]"), 1), "tensor a is");
    isRefused(file(tensor.formatted("F32", "[-1]", "[0,4]"), 1), "tensor a is");
    isRefused(file(tensor.formatted("F32", "[1]", "[4,8]"), 1, 2), "should begin at 0");
    isRefused(file(tensor.formatted("F32", "[1]", "[0,4]"), 1, 2), "bytes of tensors");
    isRefused(file(tensor.formatted("F32", "[4294967296,4294967296]", "[0,4]"), 1), "tensor a is");
    isRefused(file(tensor.formatted("F32", "[9223372036854775807]", "[0,4]"), 1), "tensor a is");
    isRefused(file(tensor.formatted("F32", "[1.5]", "[0,4]"), 1), "has the numbers [1.5]");
    isRefused(file(tensor.formatted("F8_E4M3", "[4]", "[0,4]"), 1), "of the type F8_E4M3");
    isRefused(file("[]", 1), "no JSON object");
    isRefused(file("{\"a\":1,\"a\":2}", 1), "no JSON");
    isRefused(file("{", 1), "no JSON");
  }

  @Test
  void booleanOtherThanZeroAndOneIsRefused() throws IOException {
    String tensor = "{\"a\":{\"dtype\":\"BOOL\",\"shape\":[4],\"data_offsets\":[0,4]}}";
    assertThat(SafeTensors.read(file(tensor, Float.intBitsToFloat(0x01000100))).tensors())
        .containsEntry("a", Tensor.of(new long[] {0, 1, 0, 1}, 4).to(DType.BOOL));
    isRefused(file(tensor, Float.intBitsToFloat(0x01000200)), "tensor a has the boolean 2");
    isRefused(file(tensor, Float.intBitsToFloat(0x01000180)), "tensor a has the boolean -128");
  }

  /** The index of the next chunk did not fit into an int. */
  @Test
  void everyElementOfTheLargestTensorIsInOneChunk() throws IOException {
    int size = Integer.MAX_VALUE - 8;
    long[] seen = new long[1];
    SafeTensors.inChunks(
        DType.UINT8,
        size,
        (from, count) -> {
          assertThat((long) from).isEqualTo(seen[0]);
          assertThat(count).isBetween(1, SafeTensors.CHUNK);
          seen[0] += count;
        });
    assertThat(seen[0]).isEqualTo(size);
    SafeTensors.inChunks(DType.FLOAT64, 0, (from, count) -> seen[0] = -1);
    assertThat(seen[0]).isEqualTo(size);
  }
}
