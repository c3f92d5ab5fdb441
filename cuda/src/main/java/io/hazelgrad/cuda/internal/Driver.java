package io.hazelgrad.cuda.internal;

import io.hazelgrad.grid.Storage;
import java.nio.ByteBuffer;

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

  /** Copies all elements to the GPU. */
  void upload(long to, Storage from);

  /** Appends bytes to a buffer of any kind, when the work before has ended. */
  void download(ByteBuffer to, long from, int bytes);

  /** Sets bytes to zero. */
  void clear(long to, long bytes);

  /** Returns the empty buffer into which the parameters of a launch are put, as C lays them out. */
  ByteBuffer parameters();

  /** Starts a kernel with the parameters in the buffer. */
  void launch(String kernel, int blocks, int threads);

  /** Multiplies matrices that lie row by row: {@code out = a b}. */
  void multiply(Product product, long a, long b, long out);

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
