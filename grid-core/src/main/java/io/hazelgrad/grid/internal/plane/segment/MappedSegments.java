package io.hazelgrad.grid.internal.plane.segment;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Storage;
import io.hazelgrad.grid.TensorBytes;
import io.hazelgrad.grid.Worker;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The segments of other workers that this worker has mapped, and the tensors in them.
 *
 * <p>The numbers of segment, slot and generation in a message are not trusted: the path is built
 * from a name that was checked when the sender introduced itself, lengths are compared with the
 * segment's size, and the slot must be in the state {@link SlotState#SENT}.
 */
public final class MappedSegments {
  private final SegmentDirectory directory;
  private final LongConsumer held;
  private final ConcurrentMap<Long, Sender> senders = new ConcurrentHashMap<>();

  private record Sender(String owner, ConcurrentMap<Integer, SegmentFile> segments) {}

  /** Creates the receiving side; {@code held} takes bytes that are used, negated at their end. */
  public MappedSegments(SegmentDirectory directory, LongConsumer held) {
    this.directory = directory;
    this.held = held;
  }

  public void introduce(long sender, String owner) {
    Sender fresh = new Sender(owner, new ConcurrentHashMap<>());
    senders.merge(sender, fresh, (known, it) -> known.owner.equals(owner) ? known : it);
  }

  /**
   * Takes the elements of a tensor. Floating-point elements stay in the segment until their
   * release. Integers and booleans are copied, since no other process may change them after their
   * check.
   */
  public Storage take(
      Worker sender, DType dtype, int length, long number, long slot, long generation) {
    SegmentFile segment = segment(sender, number);
    long bytes = (long) length * dtype.bytes();
    if (slot < 0 || slot >= segment.slots || bytes > segment.slotBytes) {
      throw damaged(sender, "slot " + slot + " with " + bytes + " bytes in segment " + number);
    }
    int index = (int) slot;
    long taken = SlotState.HELD.with(generation);
    if (!segment.changeWord(index, SlotState.SENT.with(generation), taken)) {
      throw damaged(
          sender,
          "slot %s of segment %s was not sent, or taken back: generation %s, found %s"
              .formatted(slot, number, generation, segment.word(index) >>> 2));
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
    int slotBytes = segment.slotBytes;
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
    Sender owned = senders.get(sender.id());
    if (owned == null) { // It introduces itself before it sends, so it was lost since.
      throw new GridException(
          Status.WORKER_LOST,
          "a tensor in shared memory of worker %s (id %s), which this worker has lost"
              .formatted(sender.name(), sender.id()));
    }
    Long token = SegmentDirectory.tokenOf(owned.owner);
    if (token == null || number < 0 || number > Integer.MAX_VALUE) {
      throw damaged(sender, "segment " + number + " of the files " + owned.owner);
    }
    SegmentFile known = owned.segments.get((int) number);
    if (known != null) {
      return known;
    }
    try {
      SegmentFile opened = SegmentFile.open(directory.segment(owned.owner, (int) number), token);
      SegmentFile other = owned.segments.putIfAbsent((int) number, opened);
      return other == null ? opened : other;
    } catch (NoSuchFileException e) { // The owner removes it when it closes or loses a receiver.
      throw new GridException(
          Status.WORKER_LOST,
          "a tensor in shared memory of worker %s is gone: %s has left, or has given this worker up"
              .formatted(sender.name(), sender.name()),
          e);
    } catch (IOException e) {
      String what = "a tensor in shared memory of worker " + sender.name() + " cannot be read: ";
      throw new GridException(Status.BAD_VALUE, what + e, e);
    }
  }

  private static GridException damaged(Worker sender, @Nullable String what) {
    return new GridException(
        Status.BAD_VALUE, "a tensor in shared memory of worker " + sender.name() + ": " + what);
  }

  public void sweep() {
    senders.values().forEach(it -> it.segments.values().removeIf(SegmentFile::isRetired));
  }

  public void lost(long worker) {
    senders.remove(worker);
  }

  int mappedSegments() {
    return senders.values().stream().mapToInt(owned -> owned.segments.size()).sum();
  }
}
