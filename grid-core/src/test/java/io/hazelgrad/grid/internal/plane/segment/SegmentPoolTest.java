package io.hazelgrad.grid.internal.plane.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Storage;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.Worker;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SegmentPoolTest {
  private static final int MIB = 1 << 20;

  /** A slot of so many bytes has a segment of its own, so the next one of its size is the same. */
  private static final int LARGE = 4 * MIB;

  private static final Worker SENDER = new Worker("sender", 1, new UUID(0, 1));
  private static final long RECEIVER = 2;

  @TempDir private Path directory;
  private final AtomicLong clock = new AtomicLong();
  private final AtomicLong held = new AtomicLong();
  private SegmentDirectory folder;
  private SegmentPool pool;
  private MappedSegments lenders;

  @BeforeEach
  void open() throws IOException {
    folder = SegmentDirectory.open(directory, SENDER.id());
    pool = new SegmentPool(folder, 20 * MIB, clock::get);
    lenders = new MappedSegments(folder, held::addAndGet);
    lenders.introduce(SENDER.id(), folder.owner);
  }

  @AfterEach
  void close() throws IOException {
    pool.close();
    folder.close();
    assertThat(files()).as("files left behind").isEmpty();
  }

  private List<String> files() throws IOException {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      files.forEach(file -> names.add(file.getFileName().toString()));
    }
    return names;
  }

  private long segmentFiles() throws IOException {
    return files().stream().filter(name -> name.matches(".*-\\d+")).count();
  }

  /** Sends a tensor of float32 whose every element is {@code value}. */
  private SegmentPool.Slot send(int bytes, double value) {
    return send(bytes, value, false);
  }

  private SegmentPool.Slot send(int bytes, double value, boolean isOfRequest) {
    SegmentPool.Slot slot = pool.take(bytes, RECEIVER, isOfRequest);
    assertThat(slot).as("a slot of %s bytes", bytes).isNotNull();
    Tensor.full(DType.FLOAT32, value, bytes / 4).storage().copyTo(slot.payload(bytes));
    slot.send();
    return slot;
  }

  private Storage receive(SegmentPool.Slot slot, int bytes) {
    return lenders.take(
        SENDER, DType.FLOAT32, bytes / 4, slot.segment(), slot.index(), slot.generation());
  }

  @ParameterizedTest
  @CsvSource({
    "1,65536",
    "65536,65536",
    "65537,98304",
    "98304,98304",
    "98305,131072",
    "1048576,1048576",
    "1048577,1572864",
    "268435456,268435456",
    "1073741824,1073741824",
    "1610612737,2147418112"
  })
  void slotsWasteAtMostAThird(int bytes, int slotBytes) {
    assertThat(SegmentPool.slotBytes(bytes)).isEqualTo(slotBytes).isGreaterThanOrEqualTo(bytes);
  }

  @Test
  void lateMessageDoesNotTouchNextOne() {
    SegmentPool.Slot first = send(LARGE, 1);
    receive(first, LARGE).release();
    SegmentPool.Slot second = send(LARGE, 2);
    assertThat(second.index()).isEqualTo(first.index());
    assertThat(second.segment()).isEqualTo(first.segment());

    first.takeBack(); // Its call ends only now; the receiver gave the slot back long before.

    assertThat(receive(second, LARGE).getDouble(7)).isEqualTo(2);
  }

  @Test
  void lateMessageDoesNotTouchSlotBeingWritten() {
    SegmentPool.Slot first = send(LARGE, 1);
    receive(first, LARGE).release();
    SegmentPool.Slot second = pool.take(LARGE, RECEIVER, false);

    first.takeBack();

    SegmentPool.Slot third = pool.take(LARGE, RECEIVER, false);
    assertThat(List.of(third.segment(), third.index()))
        .as("the slot that is being filled is not lent again")
        .isNotEqualTo(List.of(second.segment(), second.index()));
    second.takeBack();
    third.takeBack();
  }

  @Test
  void slotIsReusedAfterRelease() throws IOException {
    SegmentPool.Slot first = send(MIB, 1);
    Storage storage = receive(first, MIB);
    assertThat(storage.getDouble(MIB / 4 - 1)).isEqualTo(1);
    assertThat(held).hasValue(MIB);
    assertThat(pool.lentBytes()).isEqualTo(MIB);

    storage.release();

    assertThat(held).hasValue(0);
    assertThat(pool.lentBytes()).isZero();
    SegmentPool.Slot second = send(MIB, 2);
    assertThat(second.segment()).isEqualTo(first.segment());
    assertThat(second.index()).isEqualTo(first.index());
    assertThat(second.generation()).isGreaterThan(0);
    assertThat(receive(second, MIB).getDouble(7)).isEqualTo(2);
    assertThat(segmentFiles()).isEqualTo(1);
  }

  @Test
  void fullPoolRefusesAtOnceAndHasRoomLater() {
    List<Storage> kept = new ArrayList<>();
    SegmentPool.Slot slot;
    while ((slot = pool.take(MIB, RECEIVER, false)) != null) {
      slot.send();
      kept.add(receive(slot, MIB));
    }
    assertThat(kept).hasSize(16);
    assertThat(pool.usedBytes()).isBetween(16L * MIB, pool.limit());

    kept.get(9).release();

    assertThat(pool.take(MIB, RECEIVER, false)).isNotNull();
    assertThat(pool.take(MIB, RECEIVER, false)).isNull();
  }

  @Test
  void idleSegmentsMakeRoomForAnotherSize() throws IOException {
    List<Storage> kept = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      kept.add(receive(send(MIB, i), MIB));
    }
    kept.subList(0, 15).forEach(Storage::release);

    SegmentPool.Slot large = send(12 * MIB, 3);

    assertThat(receive(large, 12 * MIB).getDouble(0)).isEqualTo(3);
    assertThat(pool.usedBytes()).isLessThanOrEqualTo(pool.limit());
    assertThat(kept.get(15).getDouble(5)).as("what is still held").isEqualTo(15);
    assertThat(segmentFiles()).isEqualTo(2);
    assertThat(pool.take(30 * MIB, RECEIVER, false)).as("more than the limit").isNull();
  }

  @Test
  void untakenSlotIsFreedAndLateReceiverIsRefused() {
    SegmentPool.Slot slot = send(MIB, 1);
    slot.takeBack();
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> receive(slot, MIB))
        .withMessageContaining("taken back")
        .matches(e -> e.status() == Status.BAD_VALUE);
    assertThat(pool.lentBytes()).isZero();
  }

  @Test
  void takenSlotStaysWithReceiver() {
    SegmentPool.Slot slot = send(MIB, 1);
    Storage storage = receive(slot, MIB);
    slot.takeBack();
    assertThat(pool.lentBytes()).isEqualTo(MIB);
    assertThat(storage.getDouble(0)).isEqualTo(1);
  }

  @Test
  void slotsOfLostReceiverAreNeverReused() throws IOException {
    SegmentPool.Slot slot = send(MIB, 1);
    Storage zombie = receive(slot, MIB);

    pool.lost(RECEIVER);

    assertThat(segmentFiles()).isZero();
    assertThat(pool.usedBytes()).isZero();
    assertThat(pool.lentBytes()).isZero();
    for (int i = 0; i < 20; i++) {
      SegmentPool.Slot other = send(MIB, 5);
      assertThat(other.segment()).isNotEqualTo(slot.segment());
      receive(other, MIB).release();
    }
    assertThat(zombie.getDouble(100)).as("a receiver that lives on after all").isEqualTo(1);
    zombie.release();
  }

  @Test
  void slotIsNotReusedWhenReceiverIsLostDuringWrite() {
    SegmentPool.Slot slot = pool.take(MIB, RECEIVER, false);
    pool.lost(RECEIVER);
    Tensor.full(DType.FLOAT32, 1, MIB / 4).storage().copyTo(slot.payload(MIB));
    slot.send();
    slot.takeBack();
    assertThat(pool.lentBytes()).isZero();
  }

  @Test
  void slotOfRequestIsKeptWhenUnreadForMinutes() {
    SegmentPool.Slot queued = send(MIB, 1, true);
    clock.addAndGet(TimeUnit.MINUTES.toNanos(6));
    pool.sweep();
    assertThat(receive(queued, MIB).getDouble(0)).isEqualTo(1);
  }

  @Test
  void slotOfReplyIsFreedWhenUnreadForMinutes() {
    SegmentPool.Slot reply = send(MIB, 1);
    clock.addAndGet(TimeUnit.MINUTES.toNanos(6));
    pool.sweep();
    assertThat(pool.lentBytes()).isZero();
    assertThatExceptionOfType(GridException.class).isThrownBy(() -> receive(reply, MIB));
  }

  @Test
  void idleSegmentsAreRemovedAndReceiversForgetThem() throws IOException {
    receive(send(MIB, 1), MIB).release();
    assertThat(lenders.mappedSegments()).isEqualTo(1);
    pool.sweep();
    assertThat(segmentFiles()).isEqualTo(1);

    clock.addAndGet(TimeUnit.MINUTES.toNanos(2));
    pool.sweep();
    lenders.sweep();

    assertThat(segmentFiles()).isZero();
    assertThat(pool.usedBytes()).isZero();
    assertThat(lenders.mappedSegments()).isZero();
    assertThat(receive(send(MIB, 2), MIB).getDouble(0)).isEqualTo(2);
  }

  @Test
  void directoryIsTriedAgainLaterWhenFull() throws IOException {
    Path elsewhere = directory.resolveSibling(directory.getFileName() + "-moved");
    Files.move(directory, elsewhere);
    try {
      assertThat(pool.take(MIB, RECEIVER, false)).isNull();
      assertThat(pool.usedBytes()).isZero();
    } finally {
      Files.move(elsewhere, directory);
    }
    assertThat(pool.take(MIB, RECEIVER, false)).as("not before ten seconds").isNull();
    clock.addAndGet(TimeUnit.SECONDS.toNanos(11));
    assertThat(pool.take(MIB, RECEIVER, false)).isNotNull();
  }

  @Test
  void closeRemovesFilesAndReceiversKeepTheirMemory() throws IOException {
    Storage storage = receive(send(MIB, 4), MIB);
    pool.close();
    assertThat(segmentFiles()).isZero();
    assertThat(storage.getDouble(MIB / 4 - 1)).isEqualTo(4);
    assertThat(pool.take(MIB, RECEIVER, false)).isNull();
  }

  @Test
  void integersAndBooleansAreCopiedOut() {
    for (DType dtype : new DType[] {DType.INT64, DType.INT8, DType.BOOL}) {
      Tensor tensor = Tensor.full(dtype, 1, 300_000);
      int bytes = 300_000 * dtype.bytes();
      SegmentPool.Slot slot = pool.take(bytes, RECEIVER, false);
      tensor.storage().copyTo(slot.payload(bytes));
      slot.send();

      Storage storage =
          lenders.take(SENDER, dtype, 300_000, slot.segment(), slot.index(), slot.generation());

      assertThat(storage.isLent()).isFalse();
      assertThat(storage.toArray()).isEqualTo(tensor.storage().toArray());
      assertThat(held).hasValue(0);
      assertThat(pool.lentBytes()).isZero();
    }
  }
}
