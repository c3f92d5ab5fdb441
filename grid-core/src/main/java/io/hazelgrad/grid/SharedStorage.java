package io.hazelgrad.grid;

import java.lang.ref.Cleaner;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Elements in direct memory that somebody lends: it is given back, once, when a copy was made, on
 * {@link #release()}, or when this storage is not reachable any more.
 *
 * <p>Readers pin the loan, so the memory is not given back while one of them still reads, whoever
 * releases it meanwhile. The order in {@link #array()} (copy, publish the copy, close the loan) and
 * in the readers (look for the copy, pin, look again) makes every reader find one of the two.
 */
final class SharedStorage implements Storage {
  private static final Cleaner CLEANER = Cleaner.create();

  private final DType dtype;
  private final int length;
  private final Loan loan;
  private volatile @Nullable HeapStorage copy;
  private volatile boolean releasedWhenSent;

  /** Takes over a loan, see {@link TensorBytes#lent}. */
  SharedStorage(DType dtype, ByteBuffer bytes, Runnable giveBack) {
    this.dtype = dtype;
    this.length = bytes.limit() / dtype.bytes();
    this.loan = new Loan(bytes, giveBack);
    var unused = CLEANER.register(this, loan::close);
  }

  /** Returns a storage of the same elements that is released on its own, and holds the memory. */
  Storage retained() {
    HeapStorage heap = pinned();
    return heap != null ? heap : new SharedStorage(dtype, loan.bytes.duplicate(), loan::unpin);
  }

  @Override
  public DType dtype() {
    return dtype;
  }

  @Override
  public int length() {
    return length;
  }

  @Override
  public double getDouble(int index) {
    Objects.checkIndex(index, length);
    HeapStorage heap = pinned();
    if (heap != null) {
      return heap.getDouble(index);
    }
    try {
      ByteBuffer bytes = loan.bytes;
      return switch (dtype) {
        case FLOAT64 -> bytes.getDouble(index * 8);
        case FLOAT32 -> bytes.getFloat(index * 4);
        case FLOAT16 -> HalfFloats.float16ToFloat(bytes.getShort(index * 2));
        case BFLOAT16 -> HalfFloats.bfloat16ToFloat(bytes.getShort(index * 2));
        case INT64, INT32, INT16, INT8, UINT8, BOOL -> integer(bytes, index);
      };
    } finally {
      loan.unpin();
    }
  }

  @Override
  public long getLong(int index) {
    if (dtype.isFloating()) {
      return (long) getDouble(index);
    }
    Objects.checkIndex(index, length);
    HeapStorage heap = pinned();
    if (heap != null) {
      return heap.getLong(index);
    }
    try {
      return integer(loan.bytes, index);
    } finally {
      loan.unpin();
    }
  }

  private long integer(ByteBuffer bytes, int index) {
    return switch (dtype) {
      case INT64 -> bytes.getLong(index * 8);
      case INT32 -> bytes.getInt(index * 4);
      case INT16 -> bytes.getShort(index * 2);
      case INT8 -> bytes.get(index);
      case UINT8, BOOL -> bytes.get(index) & 0xff;
      case FLOAT64, FLOAT32, FLOAT16, BFLOAT16 -> throw new IllegalStateException("floating");
    };
  }

  @Override
  public Object array() {
    HeapStorage heap = copy;
    if (heap == null) {
      synchronized (this) { // Everybody is to get the same array.
        heap = pinned();
        if (heap == null) {
          try {
            heap = HeapStorage.read(dtype, length, loan.bytes.duplicate());
            copy = heap;
          } finally {
            loan.unpin();
          }
          loan.close();
        }
      }
    }
    return heap.array();
  }

  @Override
  public Object toArray() {
    HeapStorage heap = pinned();
    if (heap != null) {
      return heap.toArray();
    }
    try {
      return HeapStorage.read(dtype, length, loan.bytes.duplicate()).array();
    } finally {
      loan.unpin();
    }
  }

  @Override
  public void copyTo(int from, int count, ByteBuffer target) {
    Objects.checkFromIndexSize(from, count, length);
    HeapStorage heap = pinned();
    if (heap != null) {
      heap.copyTo(from, count, target);
      return;
    }
    try {
      target.put(loan.bytes.slice(from * dtype.bytes(), count * dtype.bytes()));
    } finally {
      loan.unpin();
    }
  }

  @Override
  public <R extends @Nullable Object> R borrow(Function<? super Buffer, R> use) {
    HeapStorage heap = pinned();
    if (heap != null) {
      return heap.borrow(use);
    }
    try {
      ByteBuffer bytes = loan.bytes.asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN);
      return use.apply(
          switch (dtype) {
            case FLOAT64 -> bytes.asDoubleBuffer();
            case FLOAT32 -> bytes.asFloatBuffer();
            case INT64 -> bytes.asLongBuffer();
            case INT32 -> bytes.asIntBuffer();
            case FLOAT16, BFLOAT16, INT16 -> bytes.asShortBuffer();
            case INT8, UINT8, BOOL -> bytes;
          });
    } finally {
      loan.unpin();
    }
  }

  @Override
  public boolean isLent() {
    return copy == null;
  }

  @Override
  public void release() {
    loan.close();
  }

  @Override
  public void releaseWhenSent() {
    releasedWhenSent = true;
  }

  @Override
  public boolean isReleasedWhenSent() {
    return releasedWhenSent && copy == null;
  }

  /** Returns the copy if there is one; otherwise pins the loan, and the caller must unpin it. */
  private @Nullable HeapStorage pinned() {
    HeapStorage heap = copy;
    if (heap != null || loan.pin()) {
      return heap;
    }
    heap = copy;
    if (heap == null) {
      throw new IllegalStateException(
          "a tensor of %s elements of %s is used after release() gave its memory back"
              .formatted(length, dtype));
    }
    return heap;
  }

  /** The memory, and who reads it now: the number of pins, and the sign bit once it is closed. */
  private static final class Loan {
    private static final int CLOSED = Integer.MIN_VALUE;

    final ByteBuffer bytes;
    private final Runnable giveBack;
    private final AtomicInteger state = new AtomicInteger();

    Loan(ByteBuffer bytes, Runnable giveBack) {
      this.bytes = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
      this.giveBack = giveBack;
    }

    boolean pin() {
      int seen;
      do {
        seen = state.get();
        if (seen < 0) {
          return false;
        }
      } while (!state.compareAndSet(seen, seen + 1));
      return true;
    }

    void unpin() {
      if (state.decrementAndGet() == CLOSED) {
        giveBack.run();
      }
    }

    void close() {
      if (state.getAndUpdate(seen -> seen | CLOSED) == 0) {
        giveBack.run();
      }
    }
  }
}
