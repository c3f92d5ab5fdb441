package io.hazelgrad.grid.internal.plane;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.internal.plane.transfer.PendingTransfers;
import io.hazelgrad.grid.internal.plane.transfer.ReceiveBuffer;
import io.hazelgrad.grid.internal.plane.transfer.TransferTicket;
import io.hazelgrad.grid.internal.plane.transfer.WaitBudget;
import io.hazelgrad.grid.spi.Causes;
import io.hazelgrad.grid.spi.GridContext;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Fetches a tensor, or the rest of it, by calls: each gets a chunk. Slower than a stream, but it
 * goes wherever messages go.
 */
final class ChunkFetcher {
  /** How many chunks are under way from one sender, for all tensors together. */
  static final int WINDOW = 4;

  private static final Duration LONGEST = Duration.ofSeconds(60);

  private final GridContext context;
  private final TransferTicket ticket;
  private final ReceiveBuffer landing;
  private final WaitBudget patience;
  private final Semaphore window;
  private final Semaphore landed = new Semaphore(0);
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  /**
   * Makes one.
   *
   * @param window the sender's
   */
  ChunkFetcher(
      GridContext context,
      TransferTicket ticket,
      ReceiveBuffer landing,
      WaitBudget patience,
      Semaphore window) {
    this.context = context;
    this.ticket = ticket;
    this.landing = landing;
    this.patience = patience;
    this.window = window;
  }

  /** Fetches all elements from the first one named on; blocks. */
  void fetch(int first) {
    landing.open();
    int length = landing.length();
    int perChunk = PendingTransfers.CHUNK / landing.each();
    int chunks = 0;
    for (int from = first; from < length; from += Math.min(perChunk, length - from)) {
      patience.acquire(window, 1, this::check);
      ask(from, Math.min(perChunk, length - from));
      chunks++;
    }
    patience.acquire(landed, chunks, this::check);
    check();
  }

  private void ask(int from, int count) {
    int bytes = count * landing.each();
    CompletableFuture<byte[]> answer;
    try {
      answer =
          context.call(
              patience.sender(),
              PendingTransfers.FETCH,
              List.of(ticket.number(), from, count),
              timeout());
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
                } else if (chunk.length != bytes) {
                  failure.compareAndSet(
                      null,
                      new GridException(
                          Status.BAD_VALUE,
                          "a chunk of " + chunk.length + " bytes in place of " + bytes));
                } else {
                  landing.put(from, ByteBuffer.wrap(chunk));
                }
              } finally {
                window.release();
                landed.release();
              }
            });
  }

  private Duration timeout() {
    return Duration.ofNanos(Math.max(1, Math.min(patience.remainingNanos(), LONGEST.toNanos())));
  }

  private void check() {
    Throwable thrown = failure.get();
    if (thrown != null) {
      Throwable cause = Causes.of(thrown);
      throw new GridException(
          cause instanceof GridException e ? e.status() : Status.INTERNAL,
          "a tensor from worker "
              + patience.sender().name()
              + " did not arrive completely: "
              + cause.getMessage(),
          cause);
    }
  }
}
