package io.hazelgrad.autograd.training;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * Named tensors and texts in a file of the format safetensors: the length of the header (8 bytes,
 * little-endian), the header (JSON: of each tensor the type, the shape, and where its bytes are; of
 * the texts all), then the raw little-endian elements, without gaps, in the order of the header.
 *
 * <p>The header begins with a CRC-32C of the whole file, its own eight digits taken as zeros.
 */
record CheckpointFile(Map<String, String> metadata, Map<String, Tensor> tensors) {
  static final String METADATA = "__metadata__";
  static final String CHECKSUM = "crc32c";
  static final String NO_CHECKSUM = "00000000";
  static final String FORMAT = "format";
  static final String OURS = "hazelgrad.checkpoint";
  static final String VERSION = "version";
  static final String CURRENT = "1";
  static final String START = "{\"" + METADATA + "\":{\"" + CHECKSUM + "\":\"";
  static final int MAX_HEADER = 100_000_000;
  static final int CHUNK = 1 << 20;

  private static final int UUID_LENGTH = 36;

  /** The age from which on an unfinished file has no writer any more. */
  private static final Duration ABANDONED = Duration.ofHours(1);

  static final Map<String, DType> TYPES =
      Map.of(
          "F64", DType.FLOAT64,
          "F32", DType.FLOAT32,
          "F16", DType.FLOAT16,
          "BF16", DType.BFLOAT16,
          "I64", DType.INT64,
          "I32", DType.INT32,
          "I16", DType.INT16,
          "I8", DType.INT8,
          "U8", DType.UINT8,
          "BOOL", DType.BOOL);

  static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  /** Writes a file completely or not at all. */
  void write(Path file) throws IOException {
    Path target = file.toAbsolutePath();
    String prefix = "." + target.getFileName() + ".";
    Path beside = target.resolveSibling(prefix + UUID.randomUUID());
    Path folder = target.getParent();
    if (folder != null) {
      deleteAbandoned(folder, prefix);
    }
    try {
      try (FileChannel channel =
          FileChannel.open(beside, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        writeTo(channel);
        channel.force(true);
      }
      Files.move(beside, target, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(beside);
    }
    if (folder != null) {
      force(folder);
    }
  }

  /** Deletes the unfinished files of writers that were killed; one that lives writes to its own. */
  private static void deleteAbandoned(Path folder, String prefix) {
    Instant limit = Instant.now().minus(ABANDONED);
    try (Stream<Path> files = Files.list(folder)) {
      for (Path each : files.filter(file -> isUnfinished(file, prefix)).toList()) {
        if (Files.getLastModifiedTime(each).toInstant().isBefore(limit)) {
          Files.deleteIfExists(each);
        }
      }
    } catch (IOException | UncheckedIOException e) {
      // Another writer was faster, or the folder cannot be read. The next write tries again.
    }
  }

  private static boolean isUnfinished(Path file, String prefix) {
    String name = file.getFileName().toString();
    return name.startsWith(prefix) && name.length() == prefix.length() + UUID_LENGTH;
  }

  /** Forces the new name to the disk where the system supports it. */
  private static void force(Path folder) {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    } catch (IOException e) {
      // Windows cannot open folders. The file is complete either way.
    }
  }

  private void writeTo(FileChannel channel) throws IOException {
    byte[] header = header();
    CRC32C checksum = new CRC32C();
    write(channel, length(header.length), checksum);
    write(channel, ByteBuffer.wrap(header), checksum);
    ByteBuffer chunk = ByteBuffer.allocate(CHUNK);
    for (Tensor tensor : tensors.values()) {
      inChunks(
          tensor.dtype(),
          tensor.size(),
          (from, count) -> {
            tensor.storage().copyTo(from, count, chunk.clear());
            write(channel, chunk.flip(), checksum);
          });
    }
    channel.position(Long.BYTES + START.length());
    write(channel, StandardCharsets.US_ASCII.encode(digits(checksum)), checksum);
  }

  /** Uses {@code count} elements from an index on. */
  interface ChunkUse {
    void elements(int from, int count) throws IOException;
  }

  /** Goes through the elements of a tensor in pieces of {@link #CHUNK} bytes at most. */
  static void inChunks(DType dtype, int size, ChunkUse use) throws IOException {
    int most = CHUNK / dtype.bytes();
    for (int left = size; left > 0; left -= most) { // An index from 0 on would overflow.
      use.elements(size - left, Math.min(most, left));
    }
  }

  private static ByteBuffer length(int length) {
    return ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(length).flip();
  }

  private static void write(FileChannel channel, ByteBuffer bytes, CRC32C checksum)
      throws IOException {
    checksum.update(bytes.duplicate());
    while (bytes.hasRemaining()) {
      int unused = channel.write(bytes);
    }
  }

  static String digits(CRC32C checksum) {
    return String.format("%08x", checksum.getValue());
  }

  /** Returns the header, with zeros for the checksum, filled up with spaces to 8 bytes. */
  private byte[] header() throws IOException {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    ObjectNode texts = root.putObject(METADATA);
    texts.put(CHECKSUM, NO_CHECKSUM).put(FORMAT, OURS).put(VERSION, CURRENT);
    metadata.forEach(texts::put);
    long at = 0;
    for (Map.Entry<String, Tensor> entry : tensors.entrySet()) {
      Tensor tensor = entry.getValue();
      ObjectNode node = root.putObject(entry.getKey());
      node.put("dtype", name(tensor.dtype()));
      ArrayNode shape = node.putArray("shape");
      Arrays.stream(tensor.shape()).forEach(shape::add);
      long end = at + (long) tensor.size() * tensor.dtype().bytes();
      node.putArray("data_offsets").add(at).add(end);
      at = end;
    }
    byte[] json = JSON.writeValueAsBytes(root);
    byte[] padded = new byte[(json.length + Long.BYTES - 1) / Long.BYTES * Long.BYTES];
    Arrays.fill(padded, (byte) ' ');
    System.arraycopy(json, 0, padded, 0, json.length);
    return padded;
  }

  private static String name(DType dtype) {
    return TYPES.keySet().stream()
        .filter(name -> TYPES.get(name) == dtype)
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no name for " + dtype));
  }

  /**
   * Reads a file.
   *
   * @throws GridException BAD_VALUE if it is not what {@link #write} wrote
   */
  static CheckpointFile read(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      return new CheckpointReader(file, channel).read();
    }
  }
}
