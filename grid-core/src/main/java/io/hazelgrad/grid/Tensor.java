package io.hazelgrad.grid;

import java.util.Arrays;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * An n-dimensional array: element type, shape, device and storage. A tensor is a value: it never
 * changes, and equality compares type, shape and elements, not the device. A scalar has the shape
 * {@code []} and one element; a shape with a 0 in it has none. Threads: safe.
 *
 * <p>Nothing here needs ND4J's native library, except {@link #toArray()} and {@link #of(INDArray)}.
 */
public final class Tensor {
  /** The largest number of dimensions. */
  public static final int MAX_RANK = 32;

  private final DType dtype;
  private final long[] shape;
  private final Storage storage;
  private final Device device;

  Tensor(Storage storage, long... shape) {
    this(storage, shape, storage instanceof DeviceStorage on ? on.device() : Device.CPU);
  }

  private Tensor(Storage storage, long[] shape, Device device) {
    this.device = device;
    this.shape = shape.clone();
    long size = sizeOf(this.shape);
    if (size != storage.length()) {
      throw new IllegalArgumentException(
          "shape=%s needs %s elements, got %s"
              .formatted(Arrays.toString(shape), size, storage.length()));
    }
    this.dtype = storage.dtype();
    this.storage = storage;
  }

  /** Makes a FLOAT64 tensor of a copy of {@code data}, row by row. */
  public static Tensor of(double[] data, long... shape) {
    return wrap(data.clone(), shape);
  }

  /** Makes a FLOAT32 tensor of a copy of {@code data}, row by row. */
  public static Tensor of(float[] data, long... shape) {
    return wrap(data.clone(), shape);
  }

  /** Makes an INT64 tensor of a copy of {@code data}, row by row. */
  public static Tensor of(long[] data, long... shape) {
    return wrap(data.clone(), shape);
  }

  /** Makes an INT32 tensor of a copy of {@code data}, row by row. */
  public static Tensor of(int[] data, long... shape) {
    return new Tensor(new HeapStorage(DType.INT32, data.clone()), shape);
  }

  /** Makes a BOOL tensor of a copy of {@code data}, row by row. */
  public static Tensor of(boolean[] data, long... shape) {
    byte[] bytes = new byte[data.length];
    for (int i = 0; i < data.length; i++) {
      bytes[i] = (byte) (data[i] ? 1 : 0);
    }
    return new Tensor(new HeapStorage(DType.BOOL, bytes), shape);
  }

  /** Makes a tensor of a copy of an ND4J array of any order; throws BAD_CONFIG without ND4J. */
  public static Tensor of(INDArray array) {
    return NeedsNd4j.toDo("Tensor.of(INDArray)", () -> NdArrayCopies.fromArray(array));
  }

  /** Makes a FLOAT64 tensor over {@code data} itself, which nobody may change any more. */
  public static Tensor wrap(double[] data, long... shape) {
    return new Tensor(new HeapStorage(DType.FLOAT64, data), shape);
  }

  /** Makes a FLOAT32 tensor over {@code data} itself, which nobody may change any more. */
  public static Tensor wrap(float[] data, long... shape) {
    return new Tensor(new HeapStorage(DType.FLOAT32, data), shape);
  }

  /** Makes an INT64 tensor over {@code data} itself, which nobody may change any more. */
  public static Tensor wrap(long[] data, long... shape) {
    return new Tensor(new HeapStorage(DType.INT64, data), shape);
  }

  /** Makes a FLOAT64 scalar. */
  public static Tensor scalar(double value) {
    return wrap(new double[] {value});
  }

  /** Makes a tensor of zeros. */
  public static Tensor zeros(DType dtype, long... shape) {
    return new Tensor(HeapStorage.allocate(dtype, intSizeOf(shape)), shape);
  }

  /** Makes a tensor whose every element is {@code value}, converted to {@code dtype}. */
  public static Tensor full(DType dtype, double value, long... shape) {
    HeapStorage storage = HeapStorage.allocate(dtype, intSizeOf(shape));
    for (int i = 0; i < storage.length(); i++) {
      storage.set(i, value);
    }
    return new Tensor(storage, shape);
  }

  /** Returns the element type. */
  public DType dtype() {
    return dtype;
  }

  /** Returns a copy of the shape. */
  public long[] shape() {
    return shape.clone();
  }

  /** Returns the extent of a dimension; negative ones count from the end. */
  public long shape(int dimension) {
    int index = dimension < 0 ? dimension + shape.length : dimension;
    if (index < 0 || index >= shape.length) {
      throw new IllegalArgumentException(
          "dimension=" + dimension + " of a tensor with shape=" + Arrays.toString(shape));
    }
    return shape[index];
  }

  /** Returns the number of dimensions. */
  public int rank() {
    return shape.length;
  }

  /** Returns the number of elements. */
  public int size() {
    return storage.length();
  }

  /** Returns where the tensor lives. */
  public Device device() {
    return device;
  }

  /**
   * Returns the same elements on another device; itself if it is there. No copy between the CPU and
   * simulated devices, which share its memory. To and from a GPU the elements are copied.
   *
   * @throws GridException BAD_CONFIG if the device cannot be used here
   */
  public Tensor to(Device target) {
    if (target.equals(device)) {
      return this;
    }
    Storage onHost = storage instanceof DeviceStorage ? TensorBytes.onHeap(storage) : storage;
    if (target.isOfHost()) {
      return new Tensor(onHost, shape, target);
    }
    return new Tensor(DeviceMemory.of(target).upload(target, onHost), shape, target);
  }

  /** Returns the storage, for arithmetic without a copy. */
  public Storage storage() {
    return storage;
  }

  /** Returns whether both shapes are the same. */
  public boolean hasShape(long... other) {
    return Arrays.equals(shape, other);
  }

  /** Returns the single element of a tensor of size 1. */
  public double item() {
    if (size() != 1) {
      throw new IllegalArgumentException(
          "item() needs a tensor with one element: shape=" + Arrays.toString(shape));
    }
    return storage.getDouble(0);
  }

  /** Returns a copy of the elements, widened or rounded to double. */
  public double[] toDoubles() {
    return (double[]) copyAs(DType.FLOAT64);
  }

  /** Returns a copy of the elements, widened or rounded to float. */
  public float[] toFloats() {
    return (float[]) copyAs(DType.FLOAT32);
  }

  /** Returns a copy of the elements as longs; fractions are cut off. */
  public long[] toLongs() {
    return (long[]) copyAs(DType.INT64);
  }

  private Object copyAs(DType target) {
    return dtype == target ? storage.toArray() : to(Device.CPU).to(target).storage.array();
  }

  /** Returns a copy as an ND4J array in c order; throws BAD_CONFIG without ND4J. */
  public INDArray toArray() {
    return NeedsNd4j.toDo("Tensor.toArray()", () -> NdArrayCopies.toArray(this));
  }

  /**
   * Gives memory back early that another process of this host lent, or that of a device, see {@link
   * Storage}. The tensor, and those that share its storage, must not be used any more: that is an
   * {@link IllegalStateException}. Never needed: memory of unreachable tensors is given back, only
   * later.
   */
  public void release() {
    storage.release();
  }

  /**
   * Calls {@link #release()} once the next message with this tensor has been written; if that is a
   * request, when its call is over. For a function that returns a tensor that it got, and does not
   * keep it: {@code return x.releaseWhenSent()}. Returns this tensor.
   */
  public Tensor releaseWhenSent() {
    storage.releaseWhenSent();
    return this;
  }

  /** Returns the same elements, row by row, under another shape of the same size. No copy. */
  public Tensor reshape(long... newShape) {
    return new Tensor(storage, newShape, device);
  }

  /** Returns the elements as another type; large integers lose their high bits in small ones. */
  public Tensor to(DType target) {
    if (target == dtype) {
      return this;
    }
    if (storage instanceof DeviceStorage here) {
      return new Tensor(DeviceMemory.of(device).convert(here, target), shape, device);
    }
    HeapStorage converted = HeapStorage.allocate(target, size());
    for (int i = 0; i < size(); i++) {
      if (!dtype.isFloating()) {
        converted.set(i, storage.getLong(i));
      } else {
        converted.set(i, storage.getDouble(i));
      }
    }
    return new Tensor(converted, shape, device);
  }

  /** Returns the number of elements of a shape after checking it. */
  public static long sizeOf(long... shape) {
    if (shape.length > MAX_RANK) {
      throw new IllegalArgumentException(
          "a tensor has at most " + MAX_RANK + " dimensions: " + shape.length);
    }
    long size = 1;
    for (long extent : shape) {
      if (extent < 0) {
        throw new IllegalArgumentException("negative extent: shape=" + Arrays.toString(shape));
      }
      if (size != 0 && extent > Long.MAX_VALUE / size) {
        throw new IllegalArgumentException("too large: shape=" + Arrays.toString(shape));
      }
      size *= extent;
    }
    return size;
  }

  private static int intSizeOf(long[] shape) {
    long size = sizeOf(shape);
    if (size > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(
          "a tensor holds at most 2^31 - 9 elements: shape=" + Arrays.toString(shape));
    }
    return (int) size;
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof Tensor that)
        || dtype != that.dtype
        || !Arrays.equals(shape, that.shape)) {
      return false;
    }
    return Arrays.deepEquals(new Object[] {storage.array()}, new Object[] {that.storage.array()});
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(shape) + Arrays.deepHashCode(new Object[] {storage.array()});
  }

  /** Returns type, shape and the first elements. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("Tensor(").append(dtype).append(' ');
    text.append(device.isCpu() ? "" : device + " ");
    text.append(Arrays.toString(shape)).append(": ");
    for (int i = 0; i < Math.min(8, size()); i++) {
      text.append(i == 0 ? "" : ", ");
      text.append(dtype.isFloating() ? "" + storage.getDouble(i) : "" + storage.getLong(i));
    }
    return text.append(size() > 8 ? ", ...)" : ")").toString();
  }
}
