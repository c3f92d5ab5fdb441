package io.hazelgrad.grid.internal.plane.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a broken or hostile peer may say about shared memory. */
class MappedSegmentsTest {
  private static final Worker SENDER = new Worker("sender", 1, new UUID(0, 1));
  private static final Worker STRANGER = new Worker("stranger", 9, new UUID(0, 9));
  private static final long RECEIVER = 2;
  private static final int BYTES = 1 << 20;

  @TempDir private Path directory;
  private SegmentDirectory folder;
  private SegmentPool pool;
  private MappedSegments lenders;
  private SegmentPool.Slot slot;

  @BeforeEach
  void open() throws IOException {
    folder = SegmentDirectory.open(directory, SENDER.id());
    pool = new SegmentPool(folder, 64 << 20, System::nanoTime);
    lenders = new MappedSegments(folder, bytes -> {});
    lenders.introduce(SENDER.id(), folder.owner);
    slot = pool.take(BYTES, RECEIVER, false);
    slot.send();
  }

  @AfterEach
  void close() {
    slot.takeBack();
    pool.close();
    folder.close();
  }

  private void assertRefused(Worker sender, int length, long number, long at, long generation) {
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> lenders.take(sender, DType.FLOAT32, length, number, at, generation))
        .matches(e -> e.status() == Status.BAD_VALUE)
        .withMessageContaining(sender.name());
  }

  @ParameterizedTest
  @CsvSource({
    "1,0,4,1",
    "1,0,-1,1",
    "1,0,9223372036854775807,1", // No such slot.
    "262145,0,0,1",
    "2147483647,0,0,1", // More than a slot holds.
    "1,-1,0,1",
    "1,4294967296,0,1", // No such segment.
    "1,0,0,0",
    "1,0,0,2",
    "1,0,0,-1", // Another generation.
    "1,0,1,0" // Not sent.
  })
  void handlesThatPointNowhereAreRefused(int length, long number, long at, long generation) {
    assertRefused(SENDER, length, number, at, generation);
    assertThat(lenders.take(SENDER, DType.FLOAT32, BYTES / 4, 0, slot.index(), 1).length())
        .as("the true handle still works")
        .isEqualTo(BYTES / 4);
  }

  @Test
  void handleWorksOnce() {
    lenders.take(SENDER, DType.FLOAT32, 1, slot.segment(), slot.index(), slot.generation());
    assertRefused(SENDER, 1, slot.segment(), slot.index(), slot.generation());
  }

  @Test
  void tensorOfLostSenderIsLost() {
    assertLost(STRANGER);
    lenders.lost(SENDER.id());
    assertLost(SENDER);
  }

  @Test
  void tensorIsLostWhenItsSenderHasGivenTheReceiverUp() {
    pool.lost(RECEIVER);
    assertLost(SENDER);
  }

  private void assertLost(Worker sender) {
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> lenders.take(sender, DType.FLOAT32, 1, 0, 0, 1))
        .matches(e -> e.status() == Status.WORKER_LOST)
        .withMessageContaining(sender.name());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "..",
        "../../etc/passwd",
        "hazelgrad-1-1-0123456789abcdef/../x",
        "hazelgrad-1-1-0123456789abcdeg",
        "hazelgrad-1-1-0123456789abcdef-probe",
        "hazelgrad-1-1-0123456789abcdef\n"
      })
  void nameIsRefusedWhenInvalid(String owner) {
    assertThat(SegmentDirectory.tokenOf(owner)).isNull();
    assertThat(folder.secretOf(owner)).isEmpty();
    lenders.introduce(STRANGER.id(), owner);
    assertRefused(STRANGER, 1, 0, 0, 1);
  }

  @Test
  void fileIsRefusedWhenNoSegment() throws IOException {
    Path file = folder.segment(77);
    Files.write(file, new byte[100]);
    assertRefused(SENDER, 1, 77, 0, 1);
    Files.write(file, new byte[BYTES]);
    assertRefused(SENDER, 1, 77, 0, 1);
    Files.delete(file);
    Files.createDirectory(file);
    assertRefused(SENDER, 1, 77, 0, 1);
    Files.delete(file);
    Files.createSymbolicLink(file, folder.segment(slot.segment()));
    assertRefused(SENDER, 1, 77, 0, 1);
  }

  @Test
  void segmentIsRefusedWhenSizeDiffersFromHeader() throws IOException {
    Path file = folder.segment(slot.segment());
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(1), channel.size());
    }
    assertRefused(SENDER, 1, slot.segment(), slot.index(), slot.generation());
  }

  @Test
  void filesAreReadableByOwnerOnly() throws IOException {
    try (var files = Files.list(directory)) {
      files.forEach(
          file -> {
            try {
              assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                  .isEqualTo("rw-------");
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          });
    }
  }
}
