package io.hazelgrad.grid.internal.plane.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Storage;
import io.hazelgrad.grid.Worker;
import java.nio.LongBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many threads send, keep, release, forget and lose tensors in a small pool. Each tensor is full of
 * its own number; whoever holds one must never see another.
 */
class SlotReuseTest {
  private static final Worker SENDER = new Worker("sender", 1, new UUID(0, 1));
  private static final int SENDERS = 3;
  private static final int RECEIVERS = 3;
  private static final int MESSAGES = 500;
  private static final int[] SIZES = {64 << 10, 90 << 10, 128 << 10, 1 << 20};

  @TempDir private Path directory;
  private final AtomicLong numbers = new AtomicLong();
  private final AtomicInteger losses = new AtomicInteger();
  private final AtomicInteger reused = new AtomicInteger();
  private final AtomicLong held = new AtomicLong();
  private final ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();

  /** A message; its slot is null at the end of a sender. */
  private record Message(SegmentPool.@Nullable Slot slot, int length, long number) {}

  private record Kept(Storage storage, long number) {}

  @Test
  void slotIsNotReusedWhileRead() throws Exception {
    long seed = System.nanoTime();
    System.out.println("SlotReuseTest seed " + seed);
    BlockingQueue<Message> queue = new ArrayBlockingQueue<>(16);
    try (SegmentDirectory folder = SegmentDirectory.open(directory, SENDER.id());
        SegmentPool pool = new SegmentPool(folder, 24 << 20, System::nanoTime)) {
      MappedSegments lenders = new MappedSegments(folder, held::addAndGet);
      lenders.introduce(SENDER.id(), folder.owner);
      ExecutorService threads = Executors.newCachedThreadPool();
      try {
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < SENDERS; i++) {
          SplittableRandom random = new SplittableRandom(seed + i);
          all.add(threads.submit(() -> send(pool, queue, random)));
        }
        for (int i = 0; i < RECEIVERS; i++) {
          SplittableRandom random = new SplittableRandom(seed - 1 - i);
          all.add(threads.submit(() -> receive(lenders, queue, random)));
        }
        for (Future<?> each : all) {
          each.get(120, TimeUnit.SECONDS);
        }
      } finally {
        threads.shutdownNow();
      }
      assertThat(wrong).isEmpty();
      assertThat(reused.get()).as("slots used again").isGreaterThan(MESSAGES / 2);
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      while (held.get() > 0 && System.nanoTime() < deadline) {
        System.gc(); // What was forgotten comes back, too.
      }
      assertThat(held).hasValue(0);
      assertThat(pool.lentBytes()).isZero();
    }
  }

  private Void send(SegmentPool pool, BlockingQueue<Message> queue, SplittableRandom random)
      throws InterruptedException {
    for (int i = 0; i < MESSAGES; i++) {
      int bytes = SIZES[random.nextInt(SIZES.length)];
      SegmentPool.Slot slot = takeWhenThereIsRoom(pool, bytes, 100 + random.nextInt(RECEIVERS));
      if (slot.generation() > 1) {
        reused.incrementAndGet();
      }
      long number = numbers.incrementAndGet();
      LongBuffer payload = slot.payload(bytes).asLongBuffer();
      for (int at = 0; at < bytes / 8; at++) {
        payload.put(at, number);
      }
      slot.send();
      if (random.nextInt(20) == 0) {
        slot.takeBack(); // The message is over before it was read.
      } else {
        queue.put(new Message(slot, bytes / 8, number));
      }
      if (random.nextInt(200) == 0) {
        losses.incrementAndGet();
        pool.lost(100 + random.nextInt(RECEIVERS));
      }
      if (random.nextInt(100) == 0) {
        pool.sweep();
      }
    }
    queue.put(new Message(null, 0, 0));
    return null;
  }

  /** Receivers that get no message release what they keep; only what they forgot needs more. */
  private static SegmentPool.Slot takeWhenThereIsRoom(SegmentPool pool, int bytes, long receiver)
      throws InterruptedException {
    for (int attempts = 1; !Thread.interrupted(); attempts++) {
      SegmentPool.Slot slot = pool.take(bytes, receiver, false);
      if (slot != null) {
        return slot;
      }
      if (attempts % 50 == 0) {
        System.gc();
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
    throw new InterruptedException();
  }

  private Void receive(
      MappedSegments lenders, BlockingQueue<Message> queue, SplittableRandom random)
      throws InterruptedException {
    Deque<Kept> kept = new ArrayDeque<>();
    while (true) {
      Message message = queue.poll(5, TimeUnit.MILLISECONDS);
      if (message == null) {
        letGo(kept, random);
        continue;
      }
      SegmentPool.Slot slot = message.slot;
      if (slot == null) {
        kept.forEach(each -> check(each, random));
        kept.forEach(each -> each.storage.release());
        return null;
      }
      Storage storage;
      try {
        storage =
            lenders.take(
                SENDER,
                DType.FLOAT64,
                message.length,
                slot.segment(),
                slot.index(),
                slot.generation());
      } catch (GridException e) {
        if (losses.get() == 0) { // Else it was meant for a receiver that is lost.
          wrong.add("message " + message.number + ": " + e.getMessage());
        }
        slot.takeBack(); // As its sender does when the call fails.
        continue;
      }
      Kept got = new Kept(storage, message.number);
      check(got, random);
      kept.add(got);
      while (kept.size() > 12) {
        letGo(kept, random);
      }
    }
  }

  private void letGo(Deque<Kept> kept, SplittableRandom random) {
    Kept old = kept.poll();
    if (old == null) {
      return;
    }
    check(old, random);
    switch (random.nextInt(16)) {
      case 0 -> {} // Forgotten: for the garbage collector.
      case 1 -> { // A copy does as well.
        double[] copy = (double[]) old.storage.array();
        if (Double.doubleToRawLongBits(copy[copy.length - 1]) != old.number) {
          wrong.add("copy of " + old.number);
        }
      }
      default -> old.storage.release();
    }
  }

  private void check(Kept kept, SplittableRandom random) {
    Storage storage = kept.storage;
    int[] places = {0, random.nextInt(storage.length()), storage.length() - 1};
    for (int at : places) {
      long seen = Double.doubleToRawLongBits(storage.getDouble(at));
      if (seen != kept.number) {
        wrong.add("at " + at + ": " + seen + " in place of " + kept.number);
      }
    }
  }
}
