package io.hazelgrad.grid.internal.plane.segment;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Storage;
import io.hazelgrad.grid.TensorBytes;
import io.hazelgrad.grid.Worker;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The segments of other workers that this one has mapped, and the tensors that lie in them.
 *
 * <p>A handle in a message is a number of a segment, a slot and a generation. The path is built
 * here, from a name that was checked when the sender introduced itself; everything is compared with
 * the segment's own size, and the slot must be in the state that says it was sent and not taken
 * yet.
 */
public final class MappedSegments {
  private final SegmentDirectory folder;
  private final LongConsumer held;
  private final ConcurrentMap<Long, Lender> lenders = new ConcurrentHashMap<>();

  /** A sender: the name of its files, and what is mapped of them. */
  private record Lender(String owner, ConcurrentMap<Integer, SegmentFile> segments) {}

  /**
   * Makes the receiving side.
   *
   * @param held hears of bytes that tensors begin to hold, and, below zero, of those given back
   */
  public MappedSegments(SegmentDirectory folder, LongConsumer held) {
    this.folder = folder;
    this.held = held;
  }

  /** A sender has introduced itself. */
  public void introduce(long sender, String owner) {
    lenders.compute(
        sender,
        (id, known) ->
            known != null && known.owner.equals(owner)
                ? known
                : new Lender(owner, new ConcurrentHashMap<>()));
  }

  /**
   * Takes the elements of a tensor. Floating-point ones stay where they are, until the storage
   * gives them back. Integers and booleans are copied at once: they are used as indices and
   * divisors, and what was checked must not be changed by another process afterwards.
   */
  public Storage take(
      Worker sender, DType dtype, int length, long number, long slot, long generation) {
    SegmentFile segment = segment(sender, number);
    long bytes = (long) length * dtype.bytes();
    if (slot < 0 || slot >= segment.slots() || bytes > segment.slotBytes()) {
      throw bad(sender, "slot " + slot + " with " + bytes + " bytes in segment " + number);
    }
    int index = (int) slot;
    long taken = SlotState.HELD.with(generation);
    if (!segment.changeWord(index, SlotState.SENT.with(generation), taken)) {
      throw bad(
          sender,
          "slot "
              + slot
              + " of segment "
              + number
              + " was not sent, or taken back: generation "
              + generation
              + ", found "
              + (segment.word(index) >>> 2));
    }
    ByteBuffer payload = segment.payload(index, (int) bytes);
    Runnable giveBack = () -> segment.setWord(index, SlotState.FREE.with(generation));
    if (!dtype.isFloating()) {
      try {
        return TensorBytes.copied(dtype, payload);
      } finally {
        giveBack.run();
      }
    }
    int slotBytes = segment.slotBytes();
    held.accept(slotBytes);
    return TensorBytes.lent(
        dtype,
        payload,
        () -> {
          giveBack.run();
          held.accept(-slotBytes);
        });
  }

  private SegmentFile segment(Worker sender, long number) {
    Lender lender = lenders.get(sender.id());
    Long token = lender == null ? null : SegmentDirectory.tokenOf(lender.owner);
    if (lender == null || token == null || number < 0 || number > Integer.MAX_VALUE) {
      throw bad(sender, "segment " + number + " of a sender that did not introduce itself");
    }
    SegmentFile known = lender.segments.get((int) number);
    if (known != null) {
      return known;
    }
    try {
      SegmentFile opened = SegmentFile.open(folder.segment(lender.owner, (int) number), token);
      SegmentFile other = lender.segments.putIfAbsent((int) number, opened);
      return other == null ? opened : other;
    } catch (IOException e) {
      throw new GridException(
          Status.BAD_VALUE,
          "a tensor in shared memory of worker " + sender.name() + " cannot be read: " + e,
          e);
    }
  }

  private static GridException bad(Worker sender, @Nullable String what) {
    return new GridException(
        Status.BAD_VALUE, "a tensor in shared memory of worker " + sender.name() + ": " + what);
  }

  /** Forgets segments that their owners have retired. */
  public void sweep() {
    for (Lender lender : lenders.values()) {
      lender.segments.values().removeIf(SegmentFile::isRetired);
    }
  }

  public void lost(long worker) {
    lenders.remove(worker);
  }

  /** Returns the number of segments that are mapped here and may be used again. */
  int mappedSegments() {
    return lenders.values().stream().mapToInt(lender -> lender.segments.size()).sum();
  }
}
