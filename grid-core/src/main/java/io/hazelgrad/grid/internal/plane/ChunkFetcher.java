package io.hazelgrad.grid.internal.plane;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.internal.plane.transfer.PendingTransfers;
import io.hazelgrad.grid.internal.plane.transfer.ReceiveBuffer;
import io.hazelgrad.grid.internal.plane.transfer.TransferTicket;
import io.hazelgrad.grid.internal.plane.transfer.WaitBudget;
import io.hazelgrad.grid.spi.Causes;
import io.hazelgrad.grid.spi.ServiceCaller;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Fetches the elements of a tensor by calls, in chunks, which works wherever messages arrive. The
 * last chunk comes first: it proves the announced size before memory of that size is allocated.
 */
final class ChunkFetcher {
  /** The chunks under way from one sender, for all tensors together. */
  static final int WINDOW = 4;

  private static final Duration MAX_TIMEOUT = Duration.ofSeconds(60);

  private final ServiceCaller caller;
  private final TransferTicket ticket;
  private final ReceiveBuffer buffer;
  private final WaitBudget budget;
  private final Semaphore window;
  private final Semaphore arrived = new Semaphore(0);
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  /** Creates a fetcher; all tensors of a sender share the permits of {@code window}. */
  ChunkFetcher(
      ServiceCaller caller,
      TransferTicket ticket,
      ReceiveBuffer buffer,
      WaitBudget budget,
      Semaphore window) {
    this.caller = caller;
    this.ticket = ticket;
    this.buffer = buffer;
    this.budget = budget;
    this.window = window;
  }

  /** Fetches the elements from index {@code first}, which exists, to the end. Blocks. */
  void fetch(int first) {
    int length = buffer.length();
    int perChunk = PendingTransfers.CHUNK / buffer.elementBytes();
    int chunks = (length - first - 1) / perChunk;
    int last = first + chunks * perChunk;
    AtomicReference<byte @Nullable []> proof = new AtomicReference<>();
    ask(last, length - last, proof::set);
    budget.acquire(arrived, 1, this::check);
    check();
    buffer.open();
    buffer.put(last, ByteBuffer.wrap(Objects.requireNonNull(proof.get())));
    for (int from = first; from < last; from += perChunk) {
      int index = from;
      ask(from, perChunk, chunk -> buffer.put(index, ByteBuffer.wrap(chunk)));
    }
    budget.acquire(arrived, chunks, this::check);
    check();
  }

  private void ask(int from, int count, Consumer<byte[]> taker) {
    budget.acquire(window, 1, this::check);
    int bytes = count * buffer.elementBytes();
    long nanos = Math.max(1, Math.min(budget.remainingNanos(), MAX_TIMEOUT.toNanos()));
    CompletableFuture<byte[]> answer;
    try {
      answer =
          caller.call(
              budget.sender(),
              PendingTransfers.FETCH,
              List.of(ticket.number(), from, count),
              Duration.ofNanos(nanos));
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
                  String wrong = "a chunk of " + chunk.length + " bytes in place of " + bytes;
                  failure.compareAndSet(null, new GridException(Status.BAD_VALUE, wrong));
                } else {
                  taker.accept(chunk);
                }
              } finally {
                window.release();
                arrived.release();
              }
            });
  }

  private void check() {
    Throwable thrown = failure.get();
    if (thrown != null) {
      Throwable cause = Causes.of(thrown);
      throw new GridException(
          cause instanceof GridException e ? e.status() : Status.INTERNAL,
          "a tensor from worker %s did not arrive completely: %s"
              .formatted(budget.sender().name(), cause.getMessage()),
          cause);
    }
  }
}
