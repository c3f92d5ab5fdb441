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
 * The tensors of this worker that are to be fetched by the receivers of their messages. A transfer
 * of a request is kept until the call is over. A transfer of a reply is kept until the receiver has
 * told that it has all elements, was lost, or has not asked for two minutes. Elements, which never
 * change, are not copied; those in lent memory stay there until the transfer ends.
 */
public final class PendingTransfers {
  public static final String FETCH = "plane.fetch";
  public static final String DONE = "plane.done";

  /** The bytes of a chunk, which costs little and does not delay other messages for long. */
  public static final int CHUNK = 1 << 20;

  private static final long FORGOTTEN_NANOS = TimeUnit.MINUTES.toNanos(2);

  private final AtomicLong numbers = new AtomicLong();
  private final ConcurrentMap<Long, PendingTransfer> transfers = new ConcurrentHashMap<>();

  /** Keeps elements for the receiver of a message; they are released when the transfer is over. */
  public TransferTicket offer(Storage kept, Worker receiver, boolean request) {
    long number = numbers.incrementAndGet();
    PendingTransfer transfer = new PendingTransfer(number, kept, receiver.id(), request);
    transfers.put(number, transfer);
    return transfer.ticket();
  }

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

  /** Returns the elements that this worker sent to itself, without a copy. */
  public Storage own(long number, Worker self) {
    PendingTransfer transfer = find(number, self);
    if (!transfer.isOfRequest) {
      transfers.remove(number);
    }
    return transfer.elements();
  }

  /** Answers {@link #FETCH}, with a number, first element and count as arguments. */
  public byte[] fetch(List<@Nullable Object> arguments, Worker caller) {
    if (arguments.size() != 3
        || !(arguments.get(0) instanceof Long number)
        || !(arguments.get(1) instanceof Integer from)
        || !(arguments.get(2) instanceof Integer count)) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          FETCH + " takes a number, a first element and a count, got " + arguments);
    }
    PendingTransfer transfer = find(number, caller);
    Storage elements = transfer.elements();
    int elementBytes = elements.dtype().bytes();
    if (from < 0 || count < 0 || count > CHUNK / elementBytes || count > elements.length() - from) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "no " + count + " elements from " + from + " on in a tensor of " + elements.length());
    }
    byte[] chunk = new byte[count * elementBytes];
    if (!transfer.copy(from, count, ByteBuffer.wrap(chunk))) {
      throw over(number);
    }
    return chunk;
  }

  public void done(List<@Nullable Object> arguments, Worker caller) {
    if (arguments.size() == 1 && arguments.get(0) instanceof Long number) {
      PendingTransfer transfer = transfers.get(number);
      if (transfer != null && transfer.receiver == caller.id()) {
        end(transfer);
      }
    }
  }

  /** Returns the transfer of a ticket; null if it has ended or the secret is wrong. */
  public @Nullable PendingTransfer find(TransferTicket ticket) {
    PendingTransfer transfer = transfers.get(ticket.number());
    return transfer != null && transfer.ticket().isSame(ticket) ? transfer : null;
  }

  /** Ends a transfer that has arrived, unless it is of a request and may be fetched again. */
  public void done(PendingTransfer transfer) {
    if (!transfer.isOfRequest) {
      end(transfer);
    }
  }

  public boolean isOpen(PendingTransfer transfer) {
    return transfers.get(transfer.ticket().number()) == transfer;
  }

  private PendingTransfer find(long number, Worker receiver) {
    PendingTransfer transfer = transfers.get(number);
    if (transfer == null || transfer.receiver != receiver.id()) {
      throw over(number);
    }
    return transfer;
  }

  private static GridException over(long number) {
    return new GridException(
        Status.BAD_VALUE, "the tensor of transfer " + number + " is gone: its call has ended");
  }

  public void lost(long worker) {
    endIf(transfer -> transfer.receiver == worker);
  }

  public void sweep() {
    endIf(transfer -> !transfer.isOfRequest && transfer.untouchedNanos() > FORGOTTEN_NANOS);
  }

  private void endIf(Predicate<PendingTransfer> condition) {
    transfers.values().stream().filter(condition).forEach(this::end);
  }

  public int size() {
    return transfers.size();
  }
}
