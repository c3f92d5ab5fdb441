package io.hazelgrad.autograd.internal.jobs;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.GridContext;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A value as numbered pieces of a snapshot, each small enough for an entry of a map. Piece 0 holds
 * the number of the others. Not safe for several threads.
 */
final class SnapshotChunks {
  private static final int CHUNK = 1 << 20;

  /** The pieces that are there, those of the last snapshot or those restored. */
  private final Map<Integer, byte[]> pieces = new TreeMap<>();

  private int next;

  /** Cuts a value into pieces, and begins with the first. */
  void write(GridContext grid, Object value) {
    byte[] bytes = grid.toBytes(value);
    pieces.clear();
    for (int from = 0; from < bytes.length; from += CHUNK) {
      pieces.put(
          pieces.size() + 1, Arrays.copyOfRange(bytes, from, Math.min(from + CHUNK, bytes.length)));
    }
    pieces.put(0, ByteBuffer.allocate(Integer.BYTES).putInt(pieces.size()).array());
    next = 0;
  }

  /** Begins with the first piece again. */
  void rewind() {
    next = 0;
  }

  boolean hasNext() {
    return next < pieces.size();
  }

  /** Returns the number of the current piece. */
  int number() {
    return next;
  }

  /** Returns the current piece. */
  byte[] bytes() {
    return Objects.requireNonNull(pieces.get(next));
  }

  void advance() {
    next++;
  }

  void clear() {
    pieces.clear();
    next = 0;
  }

  void restore(int number, byte[] bytes) {
    pieces.put(number, bytes);
  }

  /** Returns the restored value, or null if there is none. The pieces stay. */
  @Nullable Object restored(GridContext grid) {
    if (pieces.isEmpty()) {
      return null;
    }
    byte[] head = pieces.get(0);
    int count = head == null ? -1 : ByteBuffer.wrap(head).getInt();
    if (count != pieces.size() - 1) {
      throw new GridException(
          Status.BAD_VALUE,
          "the snapshot should have %d pieces of the training's state, but has %s"
              .formatted(count, pieces.keySet()));
    }
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    for (int i = 1; i <= count; i++) {
      whole.writeBytes(Objects.requireNonNull(pieces.get(i)));
    }
    return grid.fromBytes(whole.toByteArray());
  }
}
