package io.hazelgrad.grid.internal.plane;

import io.hazelgrad.grid.Storage;
import io.hazelgrad.grid.internal.plane.segment.SegmentPool;
import io.hazelgrad.grid.internal.plane.transfer.PendingTransfers;
import io.hazelgrad.grid.spi.Outgoing;
import io.hazelgrad.grid.spi.TensorSink;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.ArrayList;
import java.util.List;

/** The tensors that leave with one message, beside it. */
public final class OutgoingTensors implements TensorSink {
  private final TensorRouter plane;
  private final Outgoing message;
  private final List<SegmentPool.Slot> slots = new ArrayList<>(0);
  private final List<Long> transfers = new ArrayList<>(0);
  private final List<Storage> toRelease = new ArrayList<>(0);
  private long inline;
  private volatile boolean over;

  public OutgoingTensors(TensorRouter plane, Outgoing message) {
    this.plane = plane;
    this.message = message;
  }

  @Override
  public boolean put(Storage elements, WireOutput out) {
    if (elements.isReleasedWhenSent()) {
      toRelease.add(elements);
    }
    return plane.put(elements, this, out);
  }

  /** The message was written, or never will be. */
  public void written() {
    toRelease.forEach(Storage::release);
    toRelease.clear();
  }

  public Outgoing message() {
    return message;
  }

  /** Returns whether so many more bytes may stand in the message itself; if so, counts them. */
  public boolean fitsInline(long bytes, long most) {
    boolean fits = inline + bytes <= most;
    if (fits) {
      inline += bytes;
    }
    return fits;
  }

  public void add(SegmentPool.Slot slot) {
    slots.add(slot);
  }

  public void add(long transfer) {
    transfers.add(transfer);
  }

  /** Nobody will read the message any more; what was not taken comes back. */
  public void end(PendingTransfers all) {
    over = true;
    slots.forEach(SegmentPool.Slot::takeBack);
    transfers.forEach(all::end);
  }

  /** Returns whether {@link #end} was called: for a request, whether its call is over. */
  boolean isOver() {
    return over;
  }
}
