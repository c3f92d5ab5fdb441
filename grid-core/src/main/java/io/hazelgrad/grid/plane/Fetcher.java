package io.hazelgrad.grid.plane;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Storage;
import io.hazelgrad.grid.Tensors;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.Causes;
import io.hazelgrad.grid.spi.GridContext;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Fetches the elements of tensors that are too large for a message, in chunks. The receiver sets
 * the pace: from each sender at most {@link #WINDOW} chunks are under way, for all tensors
 * together, and all that is arriving from anywhere stays below a limit, beyond which it is refused.
 *
 * <p>The thread that reads the message waits. The wait ends with the call: at its deadline, when it
 * is over for the caller, or when the sender is lost.
 */
final class Fetcher {
  private static final int WINDOW = 4;
  private static final long LOOK_MILLIS = 50;
  private static final Duration LONGEST = Duration.ofSeconds(60);

  private final GridContext context;
  private final long limit;
  private final AtomicLong arriving = new AtomicLong();
  private final ConcurrentMap<Long, Semaphore> windows = new ConcurrentHashMap<>();

  Fetcher(GridContext context, long limit) {
    this.context = context;
    this.limit = limit;
  }

  /**
   * Fetches a tensor; blocks, without a permit of the gate.
   *
   * @param remaining nanoseconds until the call's end, MAX_VALUE for none; 0 or less ends the wait
   * @param reply whether the sender is to be told at the end, since it learns of no end of the call
   */
  Storage fetch(
      Worker sender, long number, DType dtype, int length, LongSupplier remaining, boolean reply) {
    long bytes = (long) length * dtype.bytes();
    reserve(bytes, sender);
    try {
      Tensors.Pieces pieces = Tensors.pieces(dtype, length);
      context.waiting(
          () -> {
            new Fetch(sender, number, dtype, length, remaining, pieces).run();
            return Boolean.TRUE;
          });
      return pieces.storage();
    } catch (OutOfMemoryError e) {
      throw new GridException(
          Status.REJECTED, "no memory for a tensor of " + bytes + " bytes: " + e.getMessage(), e);
    } finally {
      arriving.addAndGet(-bytes);
      if (reply) {
        tellDone(sender, number);
      }
    }
  }

  private void reserve(long bytes, Worker sender) {
    if (bytes > limit) {
      throw new GridException(
          Status.BAD_VALUE,
          "a tensor of "
              + bytes
              + " bytes from worker "
              + sender.name()
              + " is more than this worker takes in chunks, incomingBytes="
              + limit);
    }
    long sum = arriving.addAndGet(bytes);
    if (sum > limit) {
      arriving.addAndGet(-bytes);
      throw new GridException(
          Status.REJECTED,
          "a tensor of "
              + bytes
              + " bytes from worker "
              + sender.name()
              + " must wait: "
              + (sum - bytes)
              + " bytes are arriving, of at most incomingBytes="
              + limit);
    }
  }

  private void tellDone(Worker sender, long number) {
    try {
      var unused = context.call(sender, Transfers.DONE, List.of(number), LONGEST);
    } catch (RuntimeException e) {
      // It has left, or we are leaving; it forgets the transfer by itself.
    }
  }

  void lost(long worker) {
    windows.remove(worker);
  }

  /** Returns the bytes of tensors that are arriving. */
  long arrivingBytes() {
    return arriving.get();
  }

  /** One tensor on its way. */
  private final class Fetch {
    private final Worker sender;
    private final long number;
    private final int each;
    private final int length;
    private final LongSupplier remaining;
    private final Tensors.Pieces pieces;
    private final Semaphore window;
    private final Semaphore landed = new Semaphore(0);
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    Fetch(
        Worker sender,
        long number,
        DType dtype,
        int length,
        LongSupplier remaining,
        Tensors.Pieces pieces) {
      this.sender = sender;
      this.number = number;
      this.each = dtype.bytes();
      this.length = length;
      this.remaining = remaining;
      this.pieces = pieces;
      this.window = windows.computeIfAbsent(sender.id(), id -> new Semaphore(WINDOW, true));
    }

    void run() {
      int perChunk = Transfers.CHUNK / each;
      int chunks = 0;
      for (int from = 0; from < length; from += Math.min(perChunk, length - from)) {
        acquire(window, 1);
        ask(from, Math.min(perChunk, length - from));
        chunks++;
      }
      acquire(landed, chunks);
    }

    private void ask(int from, int count) {
      CompletableFuture<byte[]> answer;
      try {
        answer = context.call(sender, Transfers.FETCH, List.of(number, from, count), timeout());
      } catch (RuntimeException e) {
        window.release();
        throw e;
      }
      var unused =
          answer.whenComplete(
              (chunk, thrown) -> {
                try {
                  if (thrown != null) {
                    failure.compareAndSet(null, thrown);
                  } else if (chunk.length != count * each) {
                    failure.compareAndSet(
                        null,
                        new GridException(
                            Status.BAD_VALUE,
                            "a chunk of " + chunk.length + " bytes in place of " + count * each));
                  } else {
                    pieces.put(from, ByteBuffer.wrap(chunk));
                  }
                } finally {
                  window.release();
                  landed.release();
                }
              });
    }

    private Duration timeout() {
      return Duration.ofNanos(Math.max(1, Math.min(remaining.getAsLong(), LONGEST.toNanos())));
    }

    private void acquire(Semaphore semaphore, int permits) {
      try {
        do {
          Throwable thrown = failure.get();
          if (thrown != null) {
            throw failed(thrown);
          }
          if (remaining.getAsLong() <= 0) {
            throw new GridException(
                Status.TIMEOUT,
                "the call ended while a tensor from worker " + sender.name() + " was arriving");
          }
        } while (!semaphore.tryAcquire(permits, LOOK_MILLIS, TimeUnit.MILLISECONDS));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new GridException(
            Status.CANCELLED,
            "interrupted while a tensor from worker " + sender.name() + " was arriving",
            e);
      }
      Throwable thrown = failure.get();
      if (thrown != null) {
        throw failed(thrown);
      }
    }

    private GridException failed(Throwable thrown) {
      Throwable cause = Causes.of(thrown);
      Status status = cause instanceof GridException e ? e.status() : Status.INTERNAL;
      return new GridException(
          status,
          "a tensor from worker "
              + sender.name()
              + " did not arrive completely: "
              + cause.getMessage(),
          cause);
    }
  }
}
