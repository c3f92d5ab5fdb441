package io.hazelgrad.grid.internal.plane.segment;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shared memory that one sender has made: segments by size of slot, their free slots, and those
 * that are lent to receivers.
 *
 * <p>Sizes are powers of two and one and a half times those, from 64 KiB. Small slots come many to
 * a segment of 4 MiB, larger ones have one of their own. A slot that was used last is used first,
 * for it may still be in the processor's cache. Receivers give slots back by writing into the
 * segment's header; that is noticed when a slot is wanted and none is known to be free, and in
 * {@link #sweep}.
 *
 * <p>A segment is <em>retired</em> when it was idle for a minute, when another size needs the room,
 * or when the receiver of one of its slots was lost: whether that process has really ended is not
 * known, so the slot must never be used again. A retired segment's file is removed at once; its
 * memory goes when no process has it mapped any more.
 *
 * <p>Threads: safe. The lock is held for short steps only, never while a segment is being made.
 */
public final class SegmentPool implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentPool.class);
  private static final int LEAST_SLOT = 64 << 10;
  private static final int SHARED_SEGMENT = 4 << 20;

  /** How many lent slots are looked at when one is wanted; the others have their turn later. */
  private static final int LOOKS = 16;

  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long UNREAD_NANOS = TimeUnit.MINUTES.toNanos(5);
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final SegmentDirectory folder;
  private final long limit;
  private final LongSupplier clock;
  private final Map<Integer, Shelf> shelves = new TreeMap<>();
  private final Set<Segment> segments = new HashSet<>();
  private long used;
  private long lentBytes;
  private long noSpaceUntil;
  private boolean noSpace;
  private boolean closed;
  private int nextNumber;

  public SegmentPool(SegmentDirectory folder, long limit, LongSupplier clock) {
    this.folder = folder;
    this.limit = limit;
    this.clock = clock;
  }

  /** A segment of this pool. */
  private static final class Segment {
    final int number;
    final SegmentFile file;
    final Path path;
    int lent;
    long lastUsed;
    boolean retired;

    Segment(int number, SegmentFile file, Path path) {
      this.number = number;
      this.file = file;
      this.path = path;
    }
  }

  /** The slots of one size. */
  private static final class Shelf {
    final Deque<Slot> free = new ArrayDeque<>();
    final Deque<Slot> lent = new ArrayDeque<>();
  }

  /**
   * One use of a slot, in the hands of one message from {@link #take} on. It keeps its generation
   * when the slot is used again, so that a message that ends late cannot touch what the next one
   * has put there.
   */
  public static final class Slot {
    private final Segment segment;
    private final int index;
    private final long generation;
    private final long receiver;
    private final long since;

    /** A slot that was never used. */
    Slot(Segment segment, int index) {
      this(segment, index, 0, 0, 0);
    }

    private Slot(Segment segment, int index, long generation, long receiver, long since) {
      this.segment = segment;
      this.index = index;
      this.generation = generation;
      this.receiver = receiver;
      this.since = since;
    }

    Slot next(long newReceiver, long now) {
      return new Slot(segment, index, generation + 1, newReceiver, now);
    }

    public int segment() {
      return segment.number;
    }

    public int index() {
      return index;
    }

    public long generation() {
      return generation;
    }

    public ByteBuffer payload(int bytes) {
      return segment.file.payload(index, bytes);
    }

    /** The payload is complete: the receiver may take it. */
    public void send() {
      segment.file.setWord(index, SlotState.SENT.with(generation));
    }

    /** The message is over, or will not be sent: a slot that nobody took is free again. */
    public void takeBack() {
      long filling = SlotState.FILLING.with(generation);
      long sent = SlotState.SENT.with(generation);
      long free = SlotState.FREE.with(generation);
      if (!segment.file.changeWord(index, sent, free)) {
        segment.file.changeWord(index, filling, free);
      }
    }

    private boolean is(SlotState state) {
      return segment.file.word(index) == state.with(generation);
    }
  }

  /** Returns the size of the slots that tensors of so many bytes lie in. */
  public static int slotBytes(int bytes) {
    if (bytes <= LEAST_SLOT) {
      return LEAST_SLOT;
    }
    long power = Long.highestOneBit(bytes - 1L) << 1;
    long between = power / 4 * 3;
    return (int) Math.min(bytes <= between ? between : power, SegmentFile.MOST_BYTES);
  }

  private static int slots(int slotBytes) {
    return Math.max(1, SHARED_SEGMENT / slotBytes);
  }

  /**
   * Takes a slot for a message to {@code receiver}; the caller fills and sends it, or takes it
   * back. Null if there is no room; this never waits for any.
   */
  public @Nullable Slot take(int bytes, long receiver) {
    int slotBytes = slotBytes(bytes);
    long segmentBytes = SegmentFile.fileBytes(slotBytes, slots(slotBytes));
    int number;
    synchronized (this) {
      Shelf shelf = shelves.computeIfAbsent(slotBytes, size -> new Shelf());
      if (closed) {
        return null;
      }
      if (shelf.free.isEmpty()) {
        reclaim(shelf, LOOKS);
      }
      if (shelf.free.isEmpty() && !makeRoom(segmentBytes)) {
        reclaim(shelf, Integer.MAX_VALUE);
        if (shelf.free.isEmpty()) {
          return null;
        }
      }
      if (!shelf.free.isEmpty()) {
        return lend(shelf, receiver);
      }
      used += segmentBytes;
      number = nextNumber++;
    }
    SegmentFile file;
    Path path = folder.segment(number);
    try {
      file = SegmentFile.create(path, folder.token(), slotBytes, slots(slotBytes));
    } catch (IOException e) {
      noSpace(segmentBytes, e);
      return null;
    }
    return add(new Segment(number, file, path), receiver);
  }

  private synchronized @Nullable Slot add(Segment segment, long receiver) {
    segments.add(segment);
    if (closed) {
      retire(segment);
      return null;
    }
    Shelf shelf = shelves.computeIfAbsent(segment.file.slotBytes(), size -> new Shelf());
    for (int i = segment.file.slots() - 1; i >= 0; i--) {
      shelf.free.addLast(new Slot(segment, i));
    }
    return lend(shelf, receiver);
  }

  private Slot lend(Shelf shelf, long receiver) {
    Slot slot = shelf.free.removeLast().next(receiver, clock.getAsLong());
    slot.segment.lastUsed = slot.since;
    slot.segment.lent++;
    slot.segment.file.setWord(slot.index, SlotState.FILLING.with(slot.generation));
    shelf.lent.addLast(slot);
    lentBytes += slot.segment.file.slotBytes();
    return slot;
  }

  /** Looks which lent slots were given back: the youngest, then so many of the oldest. */
  private void reclaim(Shelf shelf, int looks) {
    Slot youngest = shelf.lent.peekLast();
    if (youngest != null && youngest.is(SlotState.FREE)) {
      shelf.lent.removeLast();
      giveBack(shelf, youngest);
    }
    for (int i = Math.min(looks, shelf.lent.size()); i > 0; i--) {
      Slot slot = shelf.lent.removeFirst();
      if (slot.is(SlotState.FREE)) {
        giveBack(shelf, slot);
      } else {
        shelf.lent.addLast(slot);
      }
    }
  }

  private void giveBack(Shelf shelf, Slot slot) {
    slot.segment.lent--;
    lentBytes -= slot.segment.file.slotBytes();
    if (!slot.segment.retired) {
      shelf.free.addLast(slot);
    }
  }

  /** Returns whether a segment of so many bytes may be made; retires idle ones if that helps. */
  private boolean makeRoom(long bytes) {
    if (bytes > limit || (noSpace && clock.getAsLong() - noSpaceUntil < 0)) {
      return false;
    }
    if (used + bytes > limit) {
      shelves.values().forEach(shelf -> reclaim(shelf, Integer.MAX_VALUE));
      List<Segment> idle = new ArrayList<>();
      segments.stream().filter(segment -> segment.lent == 0).forEach(idle::add);
      idle.sort((a, b) -> Long.compare(a.lastUsed, b.lastUsed));
      for (Segment segment : idle) {
        if (used + bytes <= limit) {
          break;
        }
        retire(segment);
      }
    }
    return used + bytes <= limit;
  }

  private void retire(Segment segment) {
    segment.retired = true;
    segment.file.retire();
    segments.remove(segment);
    used -= SegmentFile.fileBytes(segment.file.slotBytes(), segment.file.slots());
    Shelf shelf = shelves.get(segment.file.slotBytes());
    if (shelf != null) {
      shelf.free.removeIf(slot -> slot.segment == segment);
    }
    try {
      Files.deleteIfExists(segment.path);
    } catch (IOException e) {
      LOG.warn("{} could not be removed", segment.path, e);
    }
  }

  private synchronized void noSpace(long bytes, IOException e) {
    used -= bytes;
    if (!noSpace) {
      LOG.warn(
          "no more shared memory can be made, large tensors travel in messages until some is free:"
              + " {}",
          e.toString());
    }
    noSpace = true;
    noSpaceUntil = clock.getAsLong() + RETRY_NANOS;
  }

  /** A receiver was lost: what is lent to it is never used again. */
  public synchronized void lost(long receiver) {
    Set<Segment> touched = new HashSet<>();
    for (Shelf shelf : shelves.values()) {
      shelf.lent.removeIf(
          slot -> {
            if (slot.receiver != receiver) {
              return false;
            }
            // The message may not have been sent yet; then it must find a slot that is its own.
            touched.add(slot.segment);
            slot.segment.lent--;
            lentBytes -= slot.segment.file.slotBytes();
            return true;
          });
    }
    touched.removeIf(segment -> segment.retired);
    touched.forEach(this::retire);
  }

  /** Takes back what nobody has read for minutes, and removes segments that were idle for one. */
  public synchronized void sweep() {
    long now = clock.getAsLong();
    for (Shelf shelf : shelves.values()) {
      for (Slot slot : shelf.lent) {
        if (now - slot.since > UNREAD_NANOS && slot.is(SlotState.SENT)) {
          slot.takeBack();
        }
      }
      reclaim(shelf, Integer.MAX_VALUE);
    }
    for (Segment segment : List.copyOf(segments)) {
      if (segment.lent == 0 && now - segment.lastUsed > IDLE_NANOS) {
        retire(segment);
      }
    }
    if (noSpace && now - noSpaceUntil >= 0) {
      noSpace = false;
    }
  }

  /** Returns the bytes of all segments. */
  public synchronized long usedBytes() {
    return used;
  }

  /** Returns the bytes of the slots that are lent, as far as that has been noticed. */
  public synchronized long lentBytes() {
    shelves.values().forEach(shelf -> reclaim(shelf, Integer.MAX_VALUE));
    return lentBytes;
  }

  public long limit() {
    return limit;
  }

  private synchronized boolean isUnread() {
    return shelves.values().stream()
        .flatMap(shelf -> shelf.lent.stream())
        .anyMatch(slot -> slot.is(SlotState.SENT) || slot.is(SlotState.FILLING));
  }

  /**
   * Lends nothing more, waits a moment for messages under way to arrive, and removes all files.
   * Receivers keep what they have.
   */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    long deadline = System.nanoTime() + CLOSE_NANOS; // A real wait, whatever the clock.
    while (isUnread() && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    synchronized (this) {
      List.copyOf(segments).forEach(this::retire);
    }
  }
}
