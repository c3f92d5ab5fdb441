package io.hazelgrad.grid.internal.collective;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.TensorBytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** The tensors that a round makes, as one vector that is written piece by piece. */
final class Results implements ElementBuffer {
  private final DType dtype;
  private final List<long[]> shapes;
  private final List<TensorBytes.Pieces> pieces = new ArrayList<>();
  private final int[] ends;

  Results(DType dtype, List<long[]> shapes) {
    this.dtype = dtype;
    this.shapes = shapes;
    this.ends = new int[shapes.size()];
    var unused = RoundSignature.total(shapes); // Checks it.
    int end = 0;
    for (int i = 0; i < shapes.size(); i++) {
      int size = (int) Tensor.sizeOf(shapes.get(i));
      end += size;
      ends[i] = end;
      pieces.add(TensorBytes.pieces(dtype, size));
    }
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

  /** Returns the tensors when all elements are there. */
  List<Tensor> tensors() {
    List<Tensor> tensors = new ArrayList<>();
    for (int i = 0; i < shapes.size(); i++) {
      tensors.add(TensorBytes.over(pieces.get(i).storage(), shapes.get(i)));
    }
    return tensors;
  }
}
