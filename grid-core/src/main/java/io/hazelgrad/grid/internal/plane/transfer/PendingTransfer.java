package io.hazelgrad.grid.internal.plane.transfer;

import io.hazelgrad.grid.Storage;
import java.nio.ByteBuffer;

/** The elements of a tensor that the receiver of its message is to fetch, by calls or a stream. */
public final class PendingTransfer {
  private final TransferTicket ticket;
  private final Storage elements;
  final long receiver;

  /** True if its message is a request; it then ends with the call. */
  final boolean isOfRequest;

  private volatile long touched = System.nanoTime();

  PendingTransfer(long number, Storage elements, long receiver, boolean isOfRequest) {
    this.ticket = TransferTicket.withNewSecret(number);
    this.elements = elements;
    this.receiver = receiver;
    this.isOfRequest = isOfRequest;
  }

  public TransferTicket ticket() {
    return ticket;
  }

  public Storage elements() {
    return elements;
  }

  /** Copies elements as raw little-endian bytes; false if the transfer has just ended. */
  public boolean copy(int from, int count, ByteBuffer target) {
    touched = System.nanoTime();
    try {
      elements.copyTo(from, count, target);
      return true;
    } catch (IllegalStateException e) { // The memory was released.
      return false;
    }
  }

  long untouchedNanos() {
    return System.nanoTime() - touched;
  }
}
