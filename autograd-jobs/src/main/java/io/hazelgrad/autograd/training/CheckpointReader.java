package io.hazelgrad.autograd.training;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.TensorBytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * Reads a {@link CheckpointFile}. It checks everything: lengths against the size of the file, types
 * and shapes against lengths, and the checksum. It allocates nothing larger than the file.
 */
final class CheckpointReader {
  private final Path file;
  private final FileChannel channel;
  private final CRC32C checksum = new CRC32C();
  private final ByteBuffer chunk = ByteBuffer.allocate(CheckpointFile.CHUNK);

  CheckpointReader(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  CheckpointFile read() throws IOException {
    long left = channel.size() - Long.BYTES;
    if (left < CheckpointFile.START.length() + CheckpointFile.NO_CHECKSUM.length()) {
      throw bad("has " + channel.size() + " bytes only");
    }
    ByteBuffer length = bytes(Long.BYTES);
    checksum.update(length.duplicate());
    long size = length.order(ByteOrder.LITTLE_ENDIAN).getLong();
    if (size < 0 || size > left || size > CheckpointFile.MAX_HEADER) {
      throw bad("says that its header has " + size + " of its " + channel.size() + " bytes");
    }
    byte[] header = bytes((int) size).array();
    String expected = takeChecksum(header);
    checksum.update(header);
    JsonNode root = parse(header);
    Map<String, String> metadata = metadata(root);
    Map<String, Tensor> tensors = tensors(root, left - size);
    if (!expected.equals(CheckpointFile.digits(checksum))) {
      throw bad(
          "is damaged: its checksum is %s, should be %s"
              .formatted(CheckpointFile.digits(checksum), expected));
    }
    return new CheckpointFile(metadata, tensors);
  }

  private ByteBuffer bytes(int size) throws IOException {
    return fill(ByteBuffer.allocate(size));
  }

  private ByteBuffer fill(ByteBuffer buffer) throws IOException {
    while (buffer.hasRemaining()) {
      if (channel.read(buffer) < 0) {
        throw bad("became shorter while it was read");
      }
    }
    return buffer.flip();
  }

  /** Returns the checksum that a header has, and puts zeros in its place. */
  private String takeChecksum(byte[] header) {
    int start = CheckpointFile.START.length();
    int length = CheckpointFile.NO_CHECKSUM.length();
    if (header.length < start + length || !text(header, 0, start).equals(CheckpointFile.START)) {
      throw bad("does not begin as a checkpoint");
    }
    String found = text(header, start, length);
    for (int i = start; i < start + length; i++) {
      header[i] = '0';
    }
    return found;
  }

  private static String text(byte[] bytes, int from, int length) {
    return new String(bytes, from, length, StandardCharsets.ISO_8859_1);
  }

  private JsonNode parse(byte[] header) throws IOException {
    try {
      return CheckpointFile.JSON.readTree(header);
    } catch (JsonProcessingException e) {
      throw bad("is damaged: its header is no JSON: " + e.getOriginalMessage());
    }
  }

  private Map<String, String> metadata(JsonNode root) {
    Map<String, String> texts = new LinkedHashMap<>();
    root.path(CheckpointFile.METADATA)
        .properties()
        .forEach(entry -> texts.put(entry.getKey(), entry.getValue().asText()));
    texts.remove(CheckpointFile.CHECKSUM);
    String format = texts.remove(CheckpointFile.FORMAT);
    String version = texts.remove(CheckpointFile.VERSION);
    if (!CheckpointFile.OURS.equals(format) || !CheckpointFile.CURRENT.equals(version)) {
      throw bad(
          "is of format %s, version %s; this Hazelgrad reads %s, version %s"
              .formatted(format, version, CheckpointFile.OURS, CheckpointFile.CURRENT));
    }
    return texts;
  }

  /** Reads the tensors, which must be all that is left of the file. */
  private Map<String, Tensor> tensors(JsonNode root, long bytes) throws IOException {
    Map<String, Tensor> tensors = new LinkedHashMap<>();
    long at = 0;
    for (Map.Entry<String, JsonNode> entry : root.properties()) {
      if (!entry.getKey().equals(CheckpointFile.METADATA)) {
        JsonNode node = entry.getValue();
        DType dtype = CheckpointFile.TYPES.get(node.path("dtype").asText());
        long[] shape = longs(entry.getKey(), node.path("shape"), Tensor.MAX_RANK);
        long[] offsets = longs(entry.getKey(), node.path("data_offsets"), 2);
        long size = size(shape, bytes);
        if (dtype == null
            || size < 0
            || offsets.length != 2
            || offsets[0] != at
            || offsets[1] != at + size * dtype.bytes()
            || offsets[1] > bytes) {
          throw bad("is damaged: tensor " + entry.getKey() + " is " + node);
        }
        at = offsets[1];
        tensors.put(entry.getKey(), tensor(dtype, (int) size, shape));
      }
    }
    if (at != bytes) {
      throw bad("is damaged: it has " + bytes + " bytes of tensors, should have " + at);
    }
    return tensors;
  }

  private long[] longs(String name, JsonNode list, int most) {
    long[] values = new long[list.size()];
    boolean good = list.isArray() && values.length <= most;
    for (int i = 0; good && i < values.length; i++) {
      good = list.get(i).isIntegralNumber() && list.get(i).canConvertToLong();
      values[i] = list.get(i).asLong();
    }
    if (!good) {
      throw bad("is damaged: tensor " + name + " has the numbers " + list);
    }
    return values;
  }

  /** Returns the number of elements, or -1 if there cannot be as many. */
  private static long size(long[] shape, long bytes) {
    try {
      long size = Tensor.sizeOf(shape);
      return size <= Math.min(bytes, Integer.MAX_VALUE - 8) ? size : -1;
    } catch (IllegalArgumentException e) {
      return -1;
    }
  }

  private Tensor tensor(DType dtype, int size, long[] shape) throws IOException {
    TensorBytes.Pieces pieces = TensorBytes.pieces(dtype, size);
    CheckpointFile.inChunks(
        dtype,
        size,
        (from, count) -> {
          fill(chunk.clear().limit(count * dtype.bytes()));
          checksum.update(chunk.duplicate());
          pieces.put(from, chunk);
        });
    return TensorBytes.over(pieces.storage(), shape);
  }

  private GridException bad(String what) {
    return new GridException(Status.BAD_VALUE, "checkpoint " + file + " " + what);
  }
}
