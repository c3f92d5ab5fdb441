package io.hazelgrad.grid.internal.plane.transfer;

import io.hazelgrad.grid.Storage;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.Phaser;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Copies the elements of tensors; large ones in pieces, with a few threads at once, since one core
 * alone does not use all of the memory's bandwidth.
 *
 * <p>Whoever asks for a copy works on it until no piece is left, and then waits only for pieces
 * that somebody is copying. So a helper that has no time is not waited for, and finds nothing to do
 * when it comes.
 *
 * <p>Threads: safe.
 */
public final class ParallelCopier {
  /** Of whole elements, whatever their type. */
  static final int PIECE_BYTES = 1 << 20;

  /** Below, waking a helper takes longer than it saves. */
  static final int LEAST_BYTES = 4 << 20;

  /** More do not help: then the memory is the limit. */
  private static final int MOST_THREADS = 4;

  private final Executor executor;
  private final int helpers;

  /**
   * Makes a copier.
   *
   * @param processors how many there are; with one, nobody helps
   */
  public ParallelCopier(Executor executor, int processors) {
    this.executor = executor;
    this.helpers = Math.min(processors, MOST_THREADS) - 1;
  }

  /** Copies all elements, as raw little-endian bytes, to the beginning of {@code target}. */
  public void copy(Storage elements, ByteBuffer target) {
    long bytes = (long) elements.length() * elements.dtype().bytes();
    if (bytes < LEAST_BYTES || helpers == 0) {
      elements.copyTo(target.slice());
      return;
    }
    Copy copy = new Copy(elements, target);
    try {
      for (int i = 0; i < helpers; i++) {
        executor.execute(copy);
      }
    } catch (RejectedExecutionException e) {
      // The grid is closing: then this thread does it alone.
    }
    copy.run();
    copy.await();
  }

  /** One copy; run by each of its threads. */
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
        } catch (RuntimeException | Error e) { // For the one who asked.
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

    /** Waits for the pieces that others copy. Not interruptible: they write to the target. */
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
