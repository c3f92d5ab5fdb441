package io.hazelgrad.grid.internal.plane.transfer;

import io.hazelgrad.grid.Storage;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.Phaser;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Copies the elements of tensors. Large tensors are copied in pieces by up to 4 threads, since one
 * core does not use all of the memory's bandwidth. The calling thread copies until no piece is
 * left, and then waits only for pieces that helpers are copying. Threads: safe.
 */
public final class ParallelCopier {
  /** The bytes of a piece: whole elements of any type. */
  static final int PIECE_BYTES = 1 << 20;

  /** Below this size, waking a helper takes longer than it saves. */
  static final int MIN_BYTES = 4 << 20;

  /** With more threads the memory is the limit. */
  private static final int MAX_THREADS = 4;

  private final Executor executor;
  private final int helpers;

  /** Creates a copier; with one processor it has no helpers. */
  public ParallelCopier(Executor executor, int processors) {
    this.executor = executor;
    this.helpers = Math.min(processors, MAX_THREADS) - 1;
  }

  /** Copies all elements, as raw little-endian bytes, to the start of {@code target}. */
  public void copy(Storage elements, ByteBuffer target) {
    long bytes = (long) elements.length() * elements.dtype().bytes();
    if (bytes < MIN_BYTES || helpers == 0) {
      elements.copyTo(target.slice());
      return;
    }
    Copy copy = new Copy(elements, target);
    try {
      for (int i = 0; i < helpers; i++) {
        executor.execute(copy);
      }
    } catch (RejectedExecutionException e) {
      // The grid is closing; this thread copies alone.
    }
    copy.run();
    copy.await();
  }

  private static final class Copy implements Runnable {
    private final Storage elements;
    private final ByteBuffer target;
    private final int perPiece;
    private final int pieces;
    private final AtomicInteger next = new AtomicInteger();
    private final Phaser left;
    private volatile @Nullable Throwable failure;

    Copy(Storage elements, ByteBuffer target) {
      this.elements = elements;
      this.target = target.slice();
      this.perPiece = PIECE_BYTES / elements.dtype().bytes();
      this.pieces = (int) (((long) elements.length() + perPiece - 1) / perPiece);
      this.left = new Phaser(pieces);
    }

    @Override
    public void run() {
      for (int piece = next.getAndIncrement(); piece < pieces; piece = next.getAndIncrement()) {
        try {
          copy(piece);
        } catch (RuntimeException | Error e) { // The calling thread throws it.
          failure = e;
        } finally {
          left.arrive();
        }
      }
    }

    private void copy(int piece) {
      int from = piece * perPiece;
      int count = Math.min(perPiece, elements.length() - from);
      int bytes = elements.dtype().bytes();
      elements.copyTo(from, count, target.slice(from * bytes, count * bytes));
    }

    /** Waits for the helpers. Not interruptible, since they write to the target. */
    void await() {
      left.awaitAdvance(0);
      if (failure instanceof Error e) {
        throw e;
      }
      if (failure instanceof RuntimeException e) {
        throw e;
      }
    }
  }
}
