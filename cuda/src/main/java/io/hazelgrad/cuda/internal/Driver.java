package io.hazelgrad.cuda.internal;

import java.nio.ByteBuffer;
import java.util.function.LongSupplier;

/**
 * The parts of CUDA that one GPU is used by. All work is done in the order of the calls.
 *
 * <p>Threads: one at a time, any thread.
 */
interface Driver {
  /** Returns the GPU's name. */
  String name();

  /** Returns the address of new memory, or 0 if there is not so much. */
  long allocate(long bytes);

  /** Frees memory, when the work before has ended. */
  void free(long address);

  /**
   * Begins to measure the time of work. The returned function waits for what was asked for
   * meanwhile, and returns its nanoseconds.
   */
  LongSupplier measure();

  /** Returns the bytes of the GPU's memory. */
  long memory();

  /** Copies elements of {@code each} bytes to the GPU. */
  void upload(long to, int count, int each, Part from);

  /** Copies elements of {@code each} bytes from the GPU, when the work before has ended. */
  void download(Part to, long from, int count, int each);

  /** Sets bytes to zero. */
  void clear(long to, long bytes);

  /** Starts a kernel with parameters that lie as C has them. */
  void launch(String kernel, int blocks, int threads, ByteBuffer parameters);

  /** Multiplies matrices that lie row by row: {@code out = a b}. */
  void multiply(Product product, long a, long b, long out);

  /** Elements of the host that are copied from or to a buffer. */
  @FunctionalInterface
  interface Part {
    /** Copies some elements; other threads copy other ones at the same time. */
    void copy(int at, int count, ByteBuffer bytes);
  }

  /**
   * The sizes of a number of products of matrices.
   *
   * @param doubles whether elements are doubles, else floats
   * @param m the rows of the result
   * @param k the elements of each sum
   * @param n the columns of the result
   * @param strideA the elements from one matrix a to the next; 0 if there is one for all products
   * @param count the number of products
   */
  record Product(
      boolean doubles,
      int m,
      int k,
      int n,
      boolean transposeA,
      boolean transposeB,
      long strideA,
      long strideB,
      int count) {}
}
