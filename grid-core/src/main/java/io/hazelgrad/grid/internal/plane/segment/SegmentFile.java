package io.hazelgrad.grid.internal.plane.segment;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/**
 * A segment: a file of shared memory that the sender and its receivers keep mapped until the
 * garbage collector finds it unused. It has a header and slots of one size. The header has a magic
 * number, the token of the owner, the size and the number of slots, and a word that is 1 once the
 * owner has retired the segment. From {@link #WORDS} on it has the {@link SlotState} of each slot,
 * each on a cache line of its own.
 */
public final class SegmentFile {
  static final int MOST_SLOTS = 64;

  /** The most bytes of a slot: a mapping has at most 2 GiB, header included. */
  public static final int MOST_BYTES = Integer.MAX_VALUE - (1 << 16) + 1;

  private static final int WORDS = 4096;
  private static final int LINE = 64;
  private static final int HEADER = WORDS + MOST_SLOTS * LINE;
  private static final long MAGIC = 0x3130_7365_677a_6148L; // "Hazges01", with the version.
  private static final int OWNER = 8;
  private static final int SLOT_BYTES = 16;
  private static final int SLOTS = 24;
  private static final int RETIRED = 32;
  private static final int ZEROS = 1 << 18;

  private static final VarHandle WORD =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final ByteBuffer memory;
  final int slotBytes;
  final int slots;

  private SegmentFile(ByteBuffer memory, int slotBytes, int slots) {
    this.memory = memory;
    this.slotBytes = slotBytes;
    this.slots = slots;
  }

  static long fileBytes(int slotBytes, int slots) {
    return HEADER + (long) slotBytes * slots;
  }

  /** Creates a segment; see {@link #allocate} for errors. */
  static SegmentFile create(Path file, long owner, int slotBytes, int slots) throws IOException {
    MappedByteBuffer memory = allocate(file, fileBytes(slotBytes, slots));
    memory.putLong(OWNER, owner).putLong(SLOT_BYTES, slotBytes).putLong(SLOTS, slots);
    WORD.setRelease(memory, 0, MAGIC);
    return new SegmentFile(memory, slotBytes, slots);
  }

  /**
   * Creates a file of zeros and maps it, little-endian. The whole file is written before it is
   * mapped: touching a mapped page that does not exist yet kills the process if the file system is
   * full. After a failure, such as a full file system, the file is removed.
   */
  public static MappedByteBuffer allocate(Path file, long bytes) throws IOException {
    try (FileChannel channel = SegmentDirectory.create(file)) {
      ByteBuffer zeros = ByteBuffer.allocateDirect(ZEROS);
      for (long written = 0; written < bytes; ) {
        zeros.clear().limit((int) Math.min(ZEROS, bytes - written));
        written += channel.write(zeros);
      }
      MappedByteBuffer memory = channel.map(MapMode.READ_WRITE, 0, bytes);
      memory.order(ByteOrder.LITTLE_ENDIAN);
      return memory;
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      Files.deleteIfExists(file);
      throw e instanceof IOException failure ? failure : new IOException(e);
    }
  }

  /** Maps a segment of another process; throws if that fails or its header does not fit. */
  static SegmentFile open(Path file, long owner) throws IOException {
    try (FileChannel channel = FileChannel.open(file, READ, WRITE, LinkOption.NOFOLLOW_LINKS)) {
      long size = channel.size();
      if (size < HEADER || size > Integer.MAX_VALUE) {
        throw new IOException("a segment of " + size + " bytes: " + file);
      }
      MappedByteBuffer memory = channel.map(MapMode.READ_WRITE, 0, size);
      memory.order(ByteOrder.LITTLE_ENDIAN);
      long magic = (long) WORD.getAcquire(memory, 0);
      long slotBytes = memory.getLong(SLOT_BYTES);
      long slots = memory.getLong(SLOTS);
      if (magic != MAGIC
          || memory.getLong(OWNER) != owner
          || slots < 1
          || slots > MOST_SLOTS
          || slotBytes < 1
          || slotBytes > MOST_BYTES
          || size != HEADER + slotBytes * slots) {
        throw new IOException(file + " is not a segment of this sender");
      }
      return new SegmentFile(memory, (int) slotBytes, (int) slots);
    } catch (RuntimeException | OutOfMemoryError e) {
      throw new IOException(e);
    }
  }

  ByteBuffer payload(int slot, int bytes) {
    return memory.slice(HEADER + slot * slotBytes, bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  long word(int slot) {
    return (long) WORD.getAcquire(memory, WORDS + slot * LINE);
  }

  void setWord(int slot, long word) {
    WORD.setRelease(memory, WORDS + slot * LINE, word);
  }

  boolean changeWord(int slot, long from, long to) {
    return WORD.compareAndSet(memory, WORDS + slot * LINE, from, to);
  }

  /** Marks the segment: none of its slots will be sent any more. */
  void retire() {
    WORD.setRelease(memory, RETIRED, 1L);
  }

  boolean isRetired() {
    return (long) WORD.getAcquire(memory, RETIRED) != 0;
  }
}
