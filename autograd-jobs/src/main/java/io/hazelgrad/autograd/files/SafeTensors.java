package io.hazelgrad.autograd.files;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * Named tensors and texts in a file of the format <a
 * href="https://github.com/huggingface/safetensors">safetensors</a>, which torch and many other
 * tools read and write. A module's {@link io.hazelgrad.autograd.nn.Module#state() state} has
 * torch's names:
 *
 * <pre>{@code
 * SafeTensors.of(model.state()).write(Path.of("model.safetensors"));
 * model.load(SafeTensors.read(Path.of("model.safetensors")).tensors());
 * }</pre>
 *
 * <p>The file has the length of the header (8 bytes, little-endian), the header, then the raw
 * little-endian elements. The header is JSON with the texts, and with type, shape and byte range of
 * each tensor. A header that is written here begins with a CRC-32C of the whole file, for which its
 * own eight digits count as zeros.
 *
 * @param metadata the texts, in the order of the file
 * @param tensors the tensors, in the order of the header
 */
public record SafeTensors(Map<String, String> metadata, Map<String, Tensor> tensors) {
  static final String METADATA = "__metadata__";
  static final String CHECKSUM = "crc32c";
  static final String NO_CHECKSUM = "00000000";
  static final String START = "{\"" + METADATA + "\":{\"" + CHECKSUM + "\":\"";
  static final int MAX_HEADER = 100_000_000;
  static final int CHUNK = 1 << 20;

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

  /** Copies the maps in their order. */
  public SafeTensors {
    metadata = Collections.unmodifiableMap(new LinkedHashMap<>(metadata));
    tensors = Collections.unmodifiableMap(new LinkedHashMap<>(tensors));
    if (metadata.containsKey(CHECKSUM) || tensors.containsKey(METADATA)) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "the format has its own meaning for the text "
              + CHECKSUM
              + " and the tensor "
              + METADATA);
    }
  }

  /** Returns tensors with the metadata that torch's users write: {@code format} is {@code pt}. */
  public static SafeTensors of(Map<String, Tensor> tensors) {
    return new SafeTensors(Map.of("format", "pt"), tensors);
  }

  /**
   * Writes this to a file, completely or not at all. It writes a file beside it, forces that to the
   * disk and renames it, which replaces an existing file.
   *
   * @throws IOException if the file cannot be written; an existing file stays
   */
  public void write(Path file) throws IOException {
    CompleteFile.write(file, this::writeTo);
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
    texts.put(CHECKSUM, NO_CHECKSUM);
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
   * Reads a file of any tool. A checksum is verified if the file was written here.
   *
   * @throws IOException if it cannot be read
   * @throws GridException BAD_VALUE if it is damaged, or has an element type that no {@link DType}
   *     stands for
   */
  public static SafeTensors read(Path file) throws IOException {
    return read(file, false);
  }

  /**
   * Reads a file that {@link #write} wrote. Damage anywhere in it is found.
   *
   * @throws IOException if it cannot be read
   * @throws GridException as {@link #read}; BAD_VALUE if it has no checksum, too
   */
  public static SafeTensors readChecked(Path file) throws IOException {
    return read(file, true);
  }

  private static SafeTensors read(Path file, boolean checked) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      return new SafeTensorsReader(file, channel, checked).read();
    }
  }
}
