package io.hazelgrad.grid.internal.collective.vector;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.TensorBytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** The tensors that a round makes, as one vector that is written piece by piece. */
public final class Results implements ElementBuffer {
  private final DType dtype;
  private final List<long[]> shapes;
  private final List<TensorBytes.Pieces> pieces;
  private final int[] ends;

  public Results(DType dtype, List<long[]> shapes) {
    this(dtype, shapes, pieces(dtype, shapes));
  }

  private static List<TensorBytes.Pieces> pieces(DType dtype, List<long[]> shapes) {
    var unused = total(shapes); // Checks it.
    return shapes.stream().map(shape -> TensorBytes.pieces(dtype, size(shape))).toList();
  }

  private Results(DType dtype, List<long[]> shapes, List<TensorBytes.Pieces> pieces) {
    this.dtype = dtype;
    this.shapes = shapes;
    this.pieces = pieces;
    this.ends = new int[shapes.size()];
    int end = 0;
    for (int i = 0; i < ends.length; i++) {
      end += size(shapes.get(i));
      ends[i] = end;
    }
  }

  /** Returns the elements of a Java array, to be overwritten. */
  public static Results over(DType dtype, Object array, int length) {
    return new Results(
        dtype, List.of(new long[] {length}), List.of(TensorBytes.pieces(dtype, array)));
  }

  /**
   * Returns the number of elements of all shapes; throws BAD_ARGUMENT if one round cannot move
   * them.
   */
  public static int total(List<long[]> shapes) {
    long total = shapes.stream().mapToLong(Tensor::sizeOf).sum();
    if (total > Integer.MAX_VALUE) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "a round moves less than 2^31 elements, not %,d; use several rounds".formatted(total));
    }
    return (int) total;
  }

  private static int size(long[] shape) {
    return (int) Tensor.sizeOf(shape);
  }

  @Override
  public void put(int from, ByteBuffer bytes) {
    int at = from;
    int limit = bytes.limit();
    for (int i = 0; bytes.position() < limit; i++) {
      if (at >= ends[i]) {
        continue;
      }
      int begin = i == 0 ? 0 : ends[i - 1];
      int some = Math.min((limit - bytes.position()) / dtype.bytes(), ends[i] - at);
      bytes.limit(bytes.position() + some * dtype.bytes());
      pieces.get(i).put(at - begin, bytes);
      at += some;
      bytes.position(bytes.limit()).limit(limit);
    }
  }

  @Override
  public void copyTo(int from, int count, ByteBuffer target) {
    int at = from;
    for (int i = 0; at < from + count; i++) {
      if (at < ends[i]) {
        int begin = i == 0 ? 0 : ends[i - 1];
        int some = Math.min(from + count, ends[i]) - at;
        pieces.get(i).storage().copyTo(at - begin, some, target);
        at += some;
      }
    }
  }

  /** Returns the tensors; their elements are those that are there. */
  public List<Tensor> tensors() {
    List<Tensor> tensors = new ArrayList<>();
    for (int i = 0; i < shapes.size(); i++) {
      tensors.add(TensorBytes.over(pieces.get(i).storage(), shapes.get(i)));
    }
    return tensors;
  }
}
