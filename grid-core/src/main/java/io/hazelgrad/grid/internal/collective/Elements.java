package io.hazelgrad.grid.internal.collective;

import io.hazelgrad.grid.Tensor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A vector of elements that can be read piece by piece. */
@FunctionalInterface
interface Elements {
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
    private record Piece(Tensor tensor, int first, int begin, int count) {}

    private final List<Piece> pieces = new ArrayList<>();

    private Joined(List<Tensor> tensors, int parts) {
      int begin = 0;
      for (int part = 0; part < parts; part++) {
        for (Tensor each : tensors) {
          int count = each.size() / parts;
          if (count > 0) {
            pieces.add(new Piece(each, part * count, begin, count));
          }
          begin += count;
        }
      }
    }

    @Override
    public void copyTo(int from, int count, ByteBuffer target) {
      int left = count;
      for (int i = pieceAt(from); left > 0; i++) {
        Piece piece = pieces.get(i);
        int offset = from + count - left - piece.begin;
        int some = Math.min(left, piece.count - offset);
        piece.tensor.storage().copyTo(piece.first + offset, some, target);
        left -= some;
      }
    }

    private int pieceAt(int element) {
      int low = 0;
      int high = pieces.size() - 1;
      while (low < high) {
        int middle = (low + high + 1) >>> 1;
        if (pieces.get(middle).begin <= element) {
          low = middle;
        } else {
          high = middle - 1;
        }
      }
      return low;
    }
  }
}
