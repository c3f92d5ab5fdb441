package io.hazelgrad.grid.internal.plane;

import io.hazelgrad.grid.Storage;
import io.hazelgrad.grid.internal.plane.segment.SegmentPool;
import io.hazelgrad.grid.internal.plane.transfer.PendingTransfers;
import io.hazelgrad.grid.spi.Outgoing;
import io.hazelgrad.grid.spi.TensorSink;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.ArrayList;
import java.util.List;

/** The tensors whose elements leave beside one message. */
final class OutgoingTensors implements TensorSink {
  private final TensorRouter router;
  final Outgoing message;
  private final List<SegmentPool.Slot> slots = new ArrayList<>(0);
  private final List<Long> transfers = new ArrayList<>(0);
  private final List<Storage> toRelease = new ArrayList<>(0);
  private long inline;
  private volatile boolean over;

  OutgoingTensors(TensorRouter router, Outgoing message) {
    this.router = router;
    this.message = message;
  }

  @Override
  public boolean put(Storage elements, WireOutput out) {
    if (elements.isReleasedWhenSent()) {
      toRelease.add(elements);
    }
    return router.put(elements, this, out);
  }

  /** Releases the elements that were only needed until the message was written. */
  void written() {
    toRelease.forEach(Storage::release);
    toRelease.clear();
  }

  /** Counts bytes for the message; false, without counting, if they exceed {@code most}. */
  boolean fitsInline(long bytes, long most) {
    if (inline + bytes > most) {
      return false;
    }
    inline += bytes;
    return true;
  }

  void add(SegmentPool.Slot slot) {
    slots.add(slot);
  }

  void add(long transfer) {
    transfers.add(transfer);
  }

  /** Takes back what the receiver has not taken. No reader of the message is left. */
  void end(PendingTransfers all) {
    over = true;
    slots.forEach(SegmentPool.Slot::takeBack);
    transfers.forEach(all::end);
  }

  /** Returns whether {@link #end} was called: for a request, whether its call is over. */
  boolean isOver() {
    return over;
  }
}
