package io.hazelgrad.autograd.files;

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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.zip.CRC32C;

/**
 * Reads a {@link SafeTensors}. It checks everything: lengths against the size of the file, types
 * and shapes against lengths, and the checksum if there is one. It allocates nothing larger than
 * the file.
 */
final class SafeTensorsReader {
  private static final Tensor NONE = Tensor.zeros(DType.BOOL, 0);

  private final Path file;
  private final FileChannel channel;
  private final boolean checked;
  private final CRC32C checksum = new CRC32C();
  private final ByteBuffer chunk = ByteBuffer.allocate(SafeTensors.CHUNK);

  SafeTensorsReader(Path file, FileChannel channel, boolean checked) {
    this.file = file;
    this.channel = channel;
    this.checked = checked;
  }

  SafeTensors read() throws IOException {
    long left = channel.size() - Long.BYTES;
    if (left < 2) {
      throw bad("has " + channel.size() + " bytes only");
    }
    ByteBuffer length = bytes(Long.BYTES);
    checksum.update(length.duplicate());
    long size = length.order(ByteOrder.LITTLE_ENDIAN).getLong();
    if (size < 0 || size > left || size > SafeTensors.MAX_HEADER) {
      throw bad("says that its header has " + size + " of its " + channel.size() + " bytes");
    }
    byte[] header = bytes((int) size).array();
    String expected = takeChecksum(header);
    if (checked && expected.isEmpty()) {
      throw bad("has no checksum at the beginning of its header");
    }
    checksum.update(header);
    JsonNode root = parse(header);
    Map<String, String> metadata = metadata(root);
    Map<String, Tensor> tensors = tensors(root, left - size);
    if (!expected.isEmpty() && !expected.equals(SafeTensors.digits(checksum))) {
      throw bad(
          "is damaged: its checksum is %s, should be %s"
              .formatted(SafeTensors.digits(checksum), expected));
    }
    return new SafeTensors(metadata, tensors);
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

  /** Returns the checksum that a header has, and puts zeros in its place; empty without one. */
  private static String takeChecksum(byte[] header) {
    int start = SafeTensors.START.length();
    int length = SafeTensors.NO_CHECKSUM.length();
    if (header.length < start + length || !text(header, 0, start).equals(SafeTensors.START)) {
      return "";
    }
    String found = text(header, start, length);
    if (!found.matches("[0-9a-f]*")) {
      return "";
    }
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
      return SafeTensors.JSON.readTree(header);
    } catch (JsonProcessingException e) {
      throw bad("is damaged: its header is no JSON: " + e.getOriginalMessage());
    }
  }

  private Map<String, String> metadata(JsonNode root) {
    Map<String, String> texts = new LinkedHashMap<>();
    root.path(SafeTensors.METADATA)
        .properties()
        .forEach(entry -> texts.put(entry.getKey(), entry.getValue().asText()));
    texts.remove(SafeTensors.CHECKSUM);
    return texts;
  }

  /** A tensor as the header describes it. */
  @SuppressWarnings("ArrayRecordComponent") // Not compared.
  private record Place(String name, DType dtype, long[] shape, long size, long start, long end) {}

  /** Reads the tensors, which must be all that is left of the file, one after the other. */
  private Map<String, Tensor> tensors(JsonNode root, long bytes) throws IOException {
    if (!root.isObject()) {
      throw bad("is damaged: its header is no JSON object");
    }
    Map<String, Tensor> tensors = new LinkedHashMap<>(); // Keeps the order of the header.
    List<Place> places = new ArrayList<>();
    for (Map.Entry<String, JsonNode> entry : root.properties()) {
      if (!entry.getKey().equals(SafeTensors.METADATA)) {
        places.add(place(entry.getKey(), entry.getValue(), bytes));
        tensors.put(entry.getKey(), NONE);
      }
    }
    places.sort(Comparator.comparingLong(Place::start).thenComparingLong(Place::end));
    long at = 0;
    for (Place place : places) {
      if (place.start() != at) {
        throw bad(
            "is damaged: tensor %s begins at byte %d, should begin at %d"
                .formatted(place.name(), place.start(), at));
      }
      at = place.end();
      tensors.put(place.name(), tensor(place));
    }
    if (at != bytes) {
      throw bad("is damaged: it has " + bytes + " bytes of tensors, should have " + at);
    }
    return tensors;
  }

  private Place place(String name, JsonNode node, long bytes) {
    String type = node.path("dtype").asText();
    DType dtype = SafeTensors.TYPES.get(type);
    if (dtype == null) {
      throw bad(
          "has a tensor %s of the type %s; these are read: %s"
              .formatted(name, type, new TreeSet<>(SafeTensors.TYPES.keySet())));
    }
    long[] shape = longs(name, node.path("shape"), Tensor.MAX_RANK);
    long[] offsets = longs(name, node.path("data_offsets"), 2);
    long size = size(shape, bytes);
    if (size < 0
        || offsets.length != 2
        || offsets[0] < 0
        || offsets[1] > bytes
        || offsets[1] - offsets[0] != size * dtype.bytes()) {
      throw bad("is damaged: tensor " + name + " is " + node + " in " + bytes + " bytes");
    }
    return new Place(name, dtype, shape, size, offsets[0], offsets[1]);
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
  static long size(long[] shape, long bytes) {
    try {
      long size = Tensor.sizeOf(shape);
      return size <= Math.min(bytes, Integer.MAX_VALUE - 8) ? size : -1;
    } catch (IllegalArgumentException e) {
      return -1;
    }
  }

  private Tensor tensor(Place place) throws IOException {
    DType dtype = place.dtype();
    int size = (int) place.size();
    TensorBytes.Pieces pieces = TensorBytes.pieces(dtype, size);
    SafeTensors.inChunks(
        dtype,
        size,
        (from, count) -> {
          fill(chunk.clear().limit(count * dtype.bytes()));
          checksum.update(chunk.duplicate());
          if (dtype == DType.BOOL) {
            checkBooleans(place);
          }
          pieces.put(from, chunk);
        });
    return TensorBytes.over(pieces.storage(), place.shape());
  }

  private void checkBooleans(Place place) {
    for (int i = 0; i < chunk.limit(); i++) {
      if (chunk.get(i) < 0 || chunk.get(i) > 1) {
        throw bad(
            "is damaged: tensor %s has the boolean %d; it must be 0 or 1"
                .formatted(place.name(), chunk.get(i)));
      }
    }
  }

  private GridException bad(String what) {
    return new GridException(Status.BAD_VALUE, file + " " + what);
  }
}
