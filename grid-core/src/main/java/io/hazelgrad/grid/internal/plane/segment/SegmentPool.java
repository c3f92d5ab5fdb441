package io.hazelgrad.grid.internal.plane.segment;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
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
 * The shared memory of one sender: its segments by slot size, with free and lent slots.
 *
 * <p>Slot sizes are powers of two and one and a half times those, from 64 KiB. Small slots share a
 * segment of 4 MiB, larger ones have one of their own. The slot that was used last is used first,
 * since it may still be in the processor's cache. Receivers give slots back by writing into the
 * segment's header. The pool looks for such slots in {@link #sweep}, and when it lacks a free one.
 *
 * <p>A segment is <em>retired</em> when it was idle for a minute, when another slot size needs the
 * room, or when the receiver of one of its slots was lost. The lost process may still run, so the
 * slot must never be used again. The file of a retired segment is removed at once; its memory is
 * free when no process maps it. Threads: safe. No lock is held while a segment is created.
 */
public final class SegmentPool implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentPool.class);
  private static final int MIN_SLOT = 64 << 10;
  private static final int SHARED_SEGMENT = 4 << 20;

  /** The number of lent slots that one search looks at; the next one continues with the others. */
  private static final int SEARCH_LIMIT = 16;

  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long UNREAD_NANOS = TimeUnit.MINUTES.toNanos(5);
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final SegmentDirectory directory;
  private final long limit;
  private final LongSupplier clock;
  private final Map<Integer, SizeClass> sizeClasses = new TreeMap<>();
  private final Set<Segment> segments = new HashSet<>();
  private long used;
  private long lentBytes;
  private long retryNanos;
  private boolean noSpace;
  private boolean closed;
  private int nextNumber;

  public SegmentPool(SegmentDirectory directory, long limit, LongSupplier clock) {
    this.directory = directory;
    this.limit = limit;
    this.clock = clock;
  }

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

  private static final class SizeClass {
    final Deque<Slot> free = new ArrayDeque<>();
    final Deque<Slot> lent = new ArrayDeque<>();
  }

  /**
   * One use of a slot by one message. The next use has another slot object and generation, so a
   * message that ends late cannot change it.
   */
  public record Slot(
      Segment container,
      int index,
      long generation,
      long receiver,
      boolean isOfRequest,
      long since) {
    public int segment() {
      return container.number;
    }

    public ByteBuffer payload(int bytes) {
      return container.file.payload(index, bytes);
    }

    /** Marks the payload as complete: the receiver may take it. */
    public void send() {
      container.file.setWord(index, SlotState.SENT.with(generation));
    }

    /** Frees a slot that nobody has taken. The message is over, or will not be sent. */
    public void takeBack() {
      long free = SlotState.FREE.with(generation);
      if (!container.file.changeWord(index, SlotState.SENT.with(generation), free)) {
        container.file.changeWord(index, SlotState.FILLING.with(generation), free);
      }
    }

    private boolean is(SlotState state) {
      return container.file.word(index) == state.with(generation);
    }
  }

  /** Returns the size of the slots for tensors of {@code bytes} bytes. */
  public static int slotBytes(int bytes) {
    if (bytes <= MIN_SLOT) {
      return MIN_SLOT;
    }
    long power = Long.highestOneBit(bytes - 1L) << 1;
    long between = power / 4 * 3;
    return (int) Math.min(bytes <= between ? between : power, SegmentFile.MOST_BYTES);
  }

  private static int slots(int slotBytes) {
    return Math.max(1, SHARED_SEGMENT / slotBytes);
  }

  /**
   * Takes a slot, to fill and send or take back, for a message; null at once without room. The slot
   * of a request is taken back by the end of its call only, which may wait for a long time.
   */
  public @Nullable Slot take(int bytes, long receiver, boolean isOfRequest) {
    int slotBytes = slotBytes(bytes);
    long segmentBytes = SegmentFile.fileBytes(slotBytes, slots(slotBytes));
    int number;
    synchronized (this) {
      SizeClass sizeClass = sizeClasses.computeIfAbsent(slotBytes, size -> new SizeClass());
      if (closed) {
        return null;
      }
      if (sizeClass.free.isEmpty()) {
        reclaim(sizeClass, SEARCH_LIMIT);
      }
      if (sizeClass.free.isEmpty() && !makeRoom(segmentBytes)) {
        reclaim(sizeClass, Integer.MAX_VALUE);
        if (sizeClass.free.isEmpty()) {
          return null;
        }
      }
      if (!sizeClass.free.isEmpty()) {
        return lend(sizeClass, receiver, isOfRequest);
      }
      used += segmentBytes;
      number = nextNumber++;
    }
    SegmentFile file;
    Path path = directory.segment(number);
    try {
      file = SegmentFile.create(path, directory.token, slotBytes, slots(slotBytes));
    } catch (IOException e) {
      noSpace(segmentBytes, e);
      return null;
    }
    return add(new Segment(number, file, path), receiver, isOfRequest);
  }

  private synchronized @Nullable Slot add(Segment segment, long receiver, boolean isOfRequest) {
    segments.add(segment);
    if (closed) {
      retire(segment);
      return null;
    }
    SizeClass sizeClass =
        sizeClasses.computeIfAbsent(segment.file.slotBytes, size -> new SizeClass());
    for (int i = segment.file.slots - 1; i >= 0; i--) {
      sizeClass.free.addLast(new Slot(segment, i, 0, 0, false, 0));
    }
    return lend(sizeClass, receiver, isOfRequest);
  }

  private Slot lend(SizeClass sizeClass, long receiver, boolean isOfRequest) {
    Slot free = sizeClass.free.removeLast();
    long now = clock.getAsLong();
    long generation = free.generation + 1;
    Slot slot = new Slot(free.container, free.index, generation, receiver, isOfRequest, now);
    slot.container.lastUsed = now;
    slot.container.lent++;
    slot.container.file.setWord(slot.index, SlotState.FILLING.with(slot.generation));
    sizeClass.lent.addLast(slot);
    lentBytes += slot.container.file.slotBytes;
    return slot;
  }

  /** Collects lent slots that were given back, among the youngest and the {@code count} oldest. */
  private void reclaim(SizeClass sizeClass, int count) {
    Slot youngest = sizeClass.lent.peekLast();
    if (youngest != null && youngest.is(SlotState.FREE)) {
      sizeClass.lent.removeLast();
      giveBack(sizeClass, youngest);
    }
    for (int i = Math.min(count, sizeClass.lent.size()); i > 0; i--) {
      Slot slot = sizeClass.lent.removeFirst();
      if (slot.is(SlotState.FREE)) {
        giveBack(sizeClass, slot);
      } else {
        sizeClass.lent.addLast(slot);
      }
    }
  }

  private void giveBack(SizeClass sizeClass, Slot slot) {
    slot.container.lent--;
    lentBytes -= slot.container.file.slotBytes;
    if (!slot.container.retired) {
      sizeClass.free.addLast(slot);
    }
  }

  /** Returns whether a segment may be created; retires idle ones if needed. */
  private boolean makeRoom(long bytes) {
    if (bytes > limit || (noSpace && clock.getAsLong() - retryNanos < 0)) {
      return false;
    }
    if (used + bytes > limit) {
      sizeClasses.values().forEach(sizeClass -> reclaim(sizeClass, Integer.MAX_VALUE));
      List<Segment> idle =
          segments.stream()
              .filter(segment -> segment.lent == 0)
              .sorted(Comparator.comparingLong(segment -> segment.lastUsed))
              .toList();
      for (int i = 0; i < idle.size() && used + bytes > limit; i++) {
        retire(idle.get(i));
      }
    }
    return used + bytes <= limit;
  }

  private void retire(Segment segment) {
    segment.retired = true;
    segment.file.retire();
    segments.remove(segment);
    used -= SegmentFile.fileBytes(segment.file.slotBytes, segment.file.slots);
    SizeClass sizeClass = sizeClasses.get(segment.file.slotBytes);
    if (sizeClass != null) {
      sizeClass.free.removeIf(slot -> slot.container == segment);
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
          "no more shared memory; large tensors travel by streams or in messages until some is"
              + " free: {}",
          e.toString());
    }
    noSpace = true;
    retryNanos = clock.getAsLong() + RETRY_NANOS;
  }

  /** Retires the segments of slots that are lent to a lost receiver. */
  public synchronized void lost(long receiver) {
    Set<Segment> touched = new HashSet<>();
    for (SizeClass sizeClass : sizeClasses.values()) {
      sizeClass.lent.removeIf(
          slot -> {
            if (slot.receiver != receiver) {
              return false;
            }
            // The message may not have been sent yet; no other message may then use its slot.
            touched.add(slot.container);
            slot.container.lent--;
            lentBytes -= slot.container.file.slotBytes;
            return true;
          });
    }
    touched.stream().filter(segment -> !segment.retired).forEach(this::retire);
  }

  /**
   * Takes back slots of replies that were not read for 5 minutes, and retires segments that were
   * idle for a minute.
   */
  public synchronized void sweep() {
    long now = clock.getAsLong();
    for (SizeClass sizeClass : sizeClasses.values()) {
      for (Slot slot : sizeClass.lent) {
        if (!slot.isOfRequest && now - slot.since > UNREAD_NANOS && slot.is(SlotState.SENT)) {
          slot.takeBack();
        }
      }
      reclaim(sizeClass, Integer.MAX_VALUE);
    }
    for (Segment segment : List.copyOf(segments)) {
      if (segment.lent == 0 && now - segment.lastUsed > IDLE_NANOS) {
        retire(segment);
      }
    }
    if (noSpace && now - retryNanos >= 0) {
      noSpace = false;
    }
  }

  public synchronized long usedBytes() {
    return used;
  }

  public synchronized long lentBytes() {
    sizeClasses.values().forEach(sizeClass -> reclaim(sizeClass, Integer.MAX_VALUE));
    return lentBytes;
  }

  public long limit() {
    return limit;
  }

  private synchronized boolean isUnread() {
    return sizeClasses.values().stream()
        .flatMap(sizeClass -> sizeClass.lent.stream())
        .anyMatch(slot -> slot.is(SlotState.SENT) || slot.is(SlotState.FILLING));
  }

  /** Lends nothing more, waits at most a second for messages under way, and removes all files. */
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
