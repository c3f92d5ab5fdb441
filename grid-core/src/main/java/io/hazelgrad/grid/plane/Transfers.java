package io.hazelgrad.grid.plane;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Storage;
import io.hazelgrad.grid.Tensors;
import io.hazelgrad.grid.Worker;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Tensors that left a message to be fetched by its receiver. One is kept until the call is over, if
 * the message is a request; if it is a reply, until the receiver has said that it has all, was
 * lost, or has not asked for two minutes.
 *
 * <p>What is kept is a reference to elements that nobody changes, not a copy.
 */
final class Transfers {
  static final String FETCH = "plane.fetch";
  static final String DONE = "plane.done";

  /**
   * The size of a chunk: large enough to cost little, small enough not to block others for long.
   */
  static final int CHUNK = 1 << 20;

  private static final long FORGOTTEN_NANOS = TimeUnit.MINUTES.toNanos(2);

  private final AtomicLong numbers = new AtomicLong();
  private final ConcurrentMap<Long, Transfer> transfers = new ConcurrentHashMap<>();

  private static final class Transfer {
    final Storage elements;
    final long receiver;
    final boolean request;
    volatile long touched = System.nanoTime();

    Transfer(Storage elements, long receiver, boolean request) {
      this.elements = elements;
      this.receiver = receiver;
      this.request = request;
    }
  }

  /** Keeps the elements of a tensor for the receiver of a message; returns their number. */
  long offer(Storage elements, Worker receiver, boolean request) {
    // Whoever sends may release lent memory while the receiver still fetches.
    Storage kept =
        elements.isLent()
            ? Tensors.wrap(elements.dtype(), elements.toArray(), elements.length()).storage()
            : elements;
    long number = numbers.incrementAndGet();
    transfers.put(number, new Transfer(kept, receiver.id(), request));
    return number;
  }

  /** Ends a transfer whose message is over. */
  void end(long number) {
    transfers.remove(number);
  }

  /** Returns what this worker sent to itself; no copy, elements do not change. */
  Storage own(long number, Worker self) {
    Transfer transfer = find(number, self);
    if (!transfer.request) {
      transfers.remove(number);
    }
    return transfer.elements;
  }

  /** Answers {@link #FETCH}: number, first element, number of elements. */
  byte[] fetch(List<@Nullable Object> arguments, Worker caller) {
    if (arguments.size() != 3
        || !(arguments.get(0) instanceof Long number)
        || !(arguments.get(1) instanceof Integer from)
        || !(arguments.get(2) instanceof Integer count)) {
      throw new GridException(
          Status.BAD_ARGUMENT, FETCH + " takes a number, first element and count: " + arguments);
    }
    Transfer transfer = find(number, caller);
    Storage elements = transfer.elements;
    int each = elements.dtype().bytes();
    if (from < 0 || count < 0 || count > CHUNK / each || count > elements.length() - from) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "elements " + from + " and " + count + " more, of " + elements.length() + " in a tensor");
    }
    transfer.touched = System.nanoTime();
    byte[] chunk = new byte[count * each];
    elements.copyTo(from, count, ByteBuffer.wrap(chunk));
    return chunk;
  }

  /** Answers {@link #DONE}. */
  void done(List<@Nullable Object> arguments, Worker caller) {
    if (arguments.size() == 1 && arguments.get(0) instanceof Long number) {
      transfers.computeIfPresent(
          number, (n, transfer) -> transfer.receiver == caller.id() ? null : transfer);
    }
  }

  private Transfer find(long number, Worker receiver) {
    Transfer transfer = transfers.get(number);
    if (transfer == null || transfer.receiver != receiver.id()) {
      throw new GridException(
          Status.BAD_VALUE,
          "a tensor in chunks, number " + number + ", is not there: its call has ended");
    }
    return transfer;
  }

  void lost(long worker) {
    transfers.values().removeIf(transfer -> transfer.receiver == worker);
  }

  void sweep() {
    long now = System.nanoTime();
    transfers
        .values()
        .removeIf(transfer -> !transfer.request && now - transfer.touched > FORGOTTEN_NANOS);
  }

  int size() {
    return transfers.size();
  }
}
