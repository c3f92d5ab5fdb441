package io.hazelgrad.grid.internal.collective.vector;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.collective.Reduction;
import java.nio.ByteBuffer;

/**
 * Combines raw little-endian elements of several members, a block at a time. The block is small
 * enough to stay in the processor's cache. The classes of floats and doubles are alike: the JVM
 * compiles loops over an array of one primitive type to vector instructions.
 *
 * <p>Threads: one at a time.
 */
public abstract sealed class Accumulator {
  /** Returns an accumulator of blocks of at most {@code capacity} elements. */
  public static Accumulator of(DType dtype, int capacity) {
    return switch (dtype) {
      case FLOAT32 -> new Floats(capacity);
      case FLOAT64 -> new Doubles(capacity);
      case INT64, INT32 -> new Longs(dtype, capacity);
      default -> throw new IllegalArgumentException("no arithmetic for " + dtype);
    };
  }

  /** Takes the first member's elements, from the position of the buffer to its limit. */
  public abstract void first(ByteBuffer bytes);

  /** Combines the block with the next member's elements. */
  public abstract void combine(ByteBuffer bytes, Reduction reduction);

  /** Divides the sum by the number of members. */
  public abstract void divide(int members);

  /** Appends the block to a buffer. */
  public abstract void store(ByteBuffer target);

  private static final class Floats extends Accumulator {
    private final float[] block;
    private final float[] next;
    private int count;

    Floats(int capacity) {
      this.block = new float[capacity];
      this.next = new float[capacity];
    }

    private static int read(ByteBuffer bytes, float[] into) {
      int size = bytes.remaining() / Float.BYTES;
      bytes.asFloatBuffer().get(into, 0, size);
      return size;
    }

    @Override
    public void first(ByteBuffer bytes) {
      count = read(bytes, block);
    }

    @Override
    public void combine(ByteBuffer bytes, Reduction reduction) {
      int size = read(bytes, next);
      switch (reduction) {
        case SUM, MEAN -> {
          for (int i = 0; i < size; i++) {
            block[i] += next[i];
          }
        }
        case MIN -> {
          for (int i = 0; i < size; i++) {
            block[i] = Math.min(block[i], next[i]);
          }
        }
        case MAX -> {
          for (int i = 0; i < size; i++) {
            block[i] = Math.max(block[i], next[i]);
          }
        }
      }
    }

    @Override
    public void divide(int members) {
      for (int i = 0; i < count; i++) {
        block[i] /= members;
      }
    }

    @Override
    public void store(ByteBuffer target) {
      target.asFloatBuffer().put(block, 0, count);
      target.position(target.position() + count * Float.BYTES);
    }
  }

  private static final class Doubles extends Accumulator {
    private final double[] block;
    private final double[] next;
    private int count;

    Doubles(int capacity) {
      this.block = new double[capacity];
      this.next = new double[capacity];
    }

    private static int read(ByteBuffer bytes, double[] into) {
      int size = bytes.remaining() / Double.BYTES;
      bytes.asDoubleBuffer().get(into, 0, size);
      return size;
    }

    @Override
    public void first(ByteBuffer bytes) {
      count = read(bytes, block);
    }

    @Override
    public void combine(ByteBuffer bytes, Reduction reduction) {
      int size = read(bytes, next);
      switch (reduction) {
        case SUM, MEAN -> {
          for (int i = 0; i < size; i++) {
            block[i] += next[i];
          }
        }
        case MIN -> {
          for (int i = 0; i < size; i++) {
            block[i] = Math.min(block[i], next[i]);
          }
        }
        case MAX -> {
          for (int i = 0; i < size; i++) {
            block[i] = Math.max(block[i], next[i]);
          }
        }
      }
    }

    @Override
    public void divide(int members) {
      for (int i = 0; i < count; i++) {
        block[i] /= members;
      }
    }

    @Override
    public void store(ByteBuffer target) {
      target.asDoubleBuffer().put(block, 0, count);
      target.position(target.position() + count * Double.BYTES);
    }
  }

  /** Integers, which wrap around in their own type when they are stored. */
  private static final class Longs extends Accumulator {
    private final DType dtype;
    private final long[] block;
    private int count;

    Longs(DType dtype, int capacity) {
      this.dtype = dtype;
      this.block = new long[capacity];
    }

    private long read(ByteBuffer bytes, int index) {
      int at = bytes.position() + index * dtype.bytes();
      return dtype == DType.INT64 ? bytes.getLong(at) : bytes.getInt(at);
    }

    @Override
    public void first(ByteBuffer bytes) {
      count = bytes.remaining() / dtype.bytes();
      for (int i = 0; i < count; i++) {
        block[i] = read(bytes, i);
      }
    }

    @Override
    public void combine(ByteBuffer bytes, Reduction reduction) {
      for (int i = 0; i < count; i++) {
        long next = read(bytes, i);
        block[i] =
            switch (reduction) {
              case SUM, MEAN -> block[i] + next;
              case MIN -> Math.min(block[i], next);
              case MAX -> Math.max(block[i], next);
            };
      }
    }

    @Override
    public void divide(int members) {
      throw new IllegalStateException("a mean of integers");
    }

    @Override
    public void store(ByteBuffer target) {
      for (int i = 0; i < count; i++) {
        if (dtype == DType.INT64) {
          target.putLong(block[i]);
        } else {
          target.putInt((int) block[i]);
        }
      }
    }
  }
}
