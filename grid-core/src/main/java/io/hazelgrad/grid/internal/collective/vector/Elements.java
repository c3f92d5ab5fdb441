package io.hazelgrad.grid.internal.collective.vector;

import io.hazelgrad.grid.Tensor;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;

/** A vector of elements that can be read piece by piece. */
@FunctionalInterface
public interface Elements {
  /** Appends the raw little-endian bytes of {@code count} elements from {@code from} on. */
  void copyTo(int from, int count, ByteBuffer target);

  /** Returns the elements of all tensors, one tensor after the other. */
  static Elements of(List<Tensor> tensors) {
    return new Joined(tensors, 1);
  }

  /**
   * Returns the elements of all tensors, cut into {@code parts} by their first dimension: the first
   * parts of all tensors, then the second parts, and so on.
   */
  static Elements inParts(List<Tensor> tensors, int parts) {
    return new Joined(tensors, parts);
  }

  /** The elements of tensors, as pieces in the order of the vector. */
  final class Joined implements Elements {
    private record Piece(Tensor tensor, int first, int count) {}

    /** The pieces by their first elements in the vector. */
    private final NavigableMap<Integer, Piece> pieces = new TreeMap<>();

    private Joined(List<Tensor> tensors, int parts) {
      int begin = 0;
      for (int part = 0; part < parts; part++) {
        for (Tensor each : tensors) {
          int count = each.size() / parts;
          if (count > 0) {
            pieces.put(begin, new Piece(each, part * count, count));
          }
          begin += count;
        }
      }
    }

    @Override
    public void copyTo(int from, int count, ByteBuffer target) {
      for (int left = count; left > 0; ) {
        int at = from + count - left;
        var found = Objects.requireNonNull(pieces.floorEntry(at));
        Piece piece = found.getValue();
        int offset = at - found.getKey();
        int some = Math.min(left, piece.count - offset);
        piece.tensor.storage().copyTo(piece.first + offset, some, target);
        left -= some;
      }
    }
  }
}
