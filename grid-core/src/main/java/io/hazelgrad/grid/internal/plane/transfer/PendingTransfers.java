package io.hazelgrad.grid.internal.plane.transfer;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Storage;
import io.hazelgrad.grid.Worker;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Tensors that left a message to be fetched by its receiver. One is kept until the call is over, if
 * the message is a request; if it is a reply, until the receiver has said that it has all, was
 * lost, or has not asked for two minutes.
 *
 * <p>What is kept is a reference to elements that nobody changes, not a copy; elements in lent
 * memory are held there until then.
 */
public final class PendingTransfers {
  public static final String FETCH = "plane.fetch";
  public static final String DONE = "plane.done";

  /**
   * The size of a chunk: large enough to cost little, small enough not to block others for long.
   */
  public static final int CHUNK = 1 << 20;

  private static final long FORGOTTEN_NANOS = TimeUnit.MINUTES.toNanos(2);

  private final AtomicLong numbers = new AtomicLong();
  private final ConcurrentMap<Long, PendingTransfer> transfers = new ConcurrentHashMap<>();

  /**
   * Keeps the elements of a tensor for the receiver of a message.
   *
   * @param kept is released when the transfer is over
   */
  public TransferTicket offer(Storage kept, Worker receiver, boolean request) {
    long number = numbers.incrementAndGet();
    PendingTransfer transfer = new PendingTransfer(number, kept, receiver.id(), request);
    transfers.put(number, transfer);
    return transfer.ticket();
  }

  /** Ends a transfer whose message is over. */
  public void end(long number) {
    PendingTransfer transfer = transfers.get(number);
    if (transfer != null) {
      end(transfer);
    }
  }

  private void end(PendingTransfer transfer) {
    if (transfers.remove(transfer.ticket().number(), transfer)) {
      transfer.elements().release();
    }
  }

  /** Returns what this worker sent to itself; no copy, elements do not change. */
  public Storage own(long number, Worker self) {
    PendingTransfer transfer = find(number, self);
    if (!transfer.isOfRequest()) {
      transfers.remove(number);
    }
    return transfer.elements();
  }

  /** Answers {@link #FETCH}: number, first element, number of elements. */
  public byte[] fetch(List<@Nullable Object> arguments, Worker caller) {
    if (arguments.size() != 3
        || !(arguments.get(0) instanceof Long number)
        || !(arguments.get(1) instanceof Integer from)
        || !(arguments.get(2) instanceof Integer count)) {
      throw new GridException(
          Status.BAD_ARGUMENT, FETCH + " takes a number, first element and count: " + arguments);
    }
    PendingTransfer transfer = find(number, caller);
    Storage elements = transfer.elements();
    int each = elements.dtype().bytes();
    if (from < 0 || count < 0 || count > CHUNK / each || count > elements.length() - from) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "elements " + from + " and " + count + " more, of " + elements.length() + " in a tensor");
    }
    byte[] chunk = new byte[count * each];
    if (!transfer.copy(from, count, ByteBuffer.wrap(chunk))) {
      throw over(number);
    }
    return chunk;
  }

  /** Answers {@link #DONE}. */
  public void done(List<@Nullable Object> arguments, Worker caller) {
    if (arguments.size() == 1 && arguments.get(0) instanceof Long number) {
      PendingTransfer transfer = transfers.get(number);
      if (transfer != null && transfer.receiver() == caller.id()) {
        end(transfer);
      }
    }
  }

  /** Returns what a ticket is for; null if that is over, or the secret another. */
  public @Nullable PendingTransfer find(TransferTicket ticket) {
    PendingTransfer transfer = transfers.get(ticket.number());
    return transfer != null && transfer.ticket().isSame(ticket) ? transfer : null;
  }

  /** The receiver has all of it. What belongs to a request may still be fetched again. */
  public void done(PendingTransfer transfer) {
    if (!transfer.isOfRequest()) {
      end(transfer);
    }
  }

  /** Returns whether a transfer has not ended. */
  public boolean isOpen(PendingTransfer transfer) {
    return transfers.get(transfer.ticket().number()) == transfer;
  }

  private PendingTransfer find(long number, Worker receiver) {
    PendingTransfer transfer = transfers.get(number);
    if (transfer == null || transfer.receiver() != receiver.id()) {
      throw over(number);
    }
    return transfer;
  }

  private static GridException over(long number) {
    return new GridException(
        Status.BAD_VALUE,
        "a tensor in chunks, number " + number + ", is not there: its call has ended");
  }

  public void lost(long worker) {
    endIf(transfer -> transfer.receiver() == worker);
  }

  public void sweep() {
    endIf(transfer -> !transfer.isOfRequest() && transfer.untouchedNanos() > FORGOTTEN_NANOS);
  }

  private void endIf(Predicate<PendingTransfer> condition) {
    transfers.values().stream().filter(condition).forEach(this::end);
  }

  public int size() {
    return transfers.size();
  }
}
