package io.hazelgrad.grid;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.bytedeco.javacpp.BytePointer;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Copies between tensors and ND4J arrays, by the raw bytes behind the array's address: 40 to 100
 * times faster than ND4J's own serialisers. It is apart from {@link Tensor}, so that a process
 * without arithmetic never loads ND4J.
 */
public final class NdArrayCopies {
  private NdArrayCopies() {}

  public static INDArray toArray(Tensor tensor) {
    if (tensor.size() == 0) {
      return Nd4j.create(dataType(tensor.dtype()), tensor.shape());
    }
    INDArray array = Nd4j.createUninitialized(dataType(tensor.dtype()), tensor.shape(), 'c');
    int bytes = Math.multiplyExact(tensor.size(), tensor.dtype().bytes());
    ByteBuffer target = bytes(array, bytes);
    tensor.storage().copyTo(target.order(ByteOrder.LITTLE_ENDIAN));
    return array;
  }

  public static Tensor fromArray(INDArray array) {
    DType dtype = dtype(array.dataType());
    if (array.isEmpty() || array.length() == 0) {
      return Tensor.zeros(dtype, array.shape());
    }
    INDArray dense = isDense(array) ? array : array.dup('c');
    int length = Math.toIntExact(dense.length());
    int bytes = Math.multiplyExact(length, dtype.bytes());
    try {
      ByteBuffer source = bytes(dense, bytes);
      return new Tensor(HeapStorage.read(dtype, length, source), array.shape());
    } finally {
      Reference.reachabilityFence(dense);
      if (dense != array) {
        dense.close();
      }
    }
  }

  /** Returns whether the elements lie row by row, without gaps, from the array's address on. */
  private static boolean isDense(INDArray array) {
    if (array.isView() || array.ordering() != 'c') {
      return false;
    }
    long expected = 1;
    for (int i = array.rank() - 1; i >= 0; i--) {
      if (array.size(i) != 1 && array.stride(i) != expected) {
        return false;
      }
      expected *= array.size(i);
    }
    return true;
  }

  /** Views the memory behind an array. The pointer is not closed: the memory is the array's. */
  @SuppressWarnings("resource")
  private static ByteBuffer bytes(INDArray array, int count) {
    return new BytePointer(array.data().addressPointer()).capacity(count).asByteBuffer();
  }

  private static DataType dataType(DType dtype) {
    return switch (dtype) {
      case FLOAT64 -> DataType.DOUBLE;
      case FLOAT32 -> DataType.FLOAT;
      case FLOAT16 -> DataType.FLOAT16;
      case BFLOAT16 -> DataType.BFLOAT16;
      case INT64 -> DataType.INT64;
      case INT32 -> DataType.INT32;
      case INT16 -> DataType.INT16;
      case INT8 -> DataType.INT8;
      case UINT8 -> DataType.UINT8;
      case BOOL -> DataType.BOOL;
    };
  }

  private static DType dtype(DataType type) {
    for (DType dtype : DType.values()) {
      if (dataType(dtype) == type) {
        return dtype;
      }
    }
    throw new IllegalArgumentException(
        "no tensor can be made of ND4J's type " + type + "; cast the array first");
  }
}
