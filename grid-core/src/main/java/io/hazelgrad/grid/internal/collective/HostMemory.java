package io.hazelgrad.grid.internal.collective;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import io.hazelgrad.grid.internal.plane.segment.SegmentFile;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/**
 * The memory that the members of one collective on one host share: a mapped file. For each member
 * it has counters, each on a cache line of its own, and {@link #SLOTS} slots. A slot has the
 * signature of its round, an input with one chunk for each member, and an output of one chunk.
 *
 * <p>A member writes only its own counters and slots. Counters grow; a counter is written after the
 * elements that it announces, and read before them.
 *
 * <p>Threads: a buffer is used by one thread at a time.
 */
final class HostMemory {
  /** The progress of a member, in steps. */
  enum Counter {
    /** Its input, and if the round combines nothing its output, is written. */
    POSTED(0),
    /** Its output is written, and it reads no more inputs. */
    COMBINED(1),
    /** It has read the outputs of all. */
    TAKEN(2);

    private final int line;

    Counter(int line) {
      this.line = line;
    }
  }

  /** With four slots, a member can write the next steps while others still read the last ones. */
  static final int SLOTS = 4;

  private static final int LINE = 64;
  private static final int MEMBER_LINES = Counter.values().length + SLOTS;
  private static final long MOST_INPUT_BYTES = 16 << 20;
  private static final int MOST_CHUNK = 128 << 10;
  private static final int LEAST_CHUNK = 4 << 10;
  private static final VarHandle WORD =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final MappedByteBuffer memory;
  private final int members;
  private final int chunk;

  private HostMemory(MappedByteBuffer memory, int members) {
    this.memory = memory;
    this.members = members;
    this.chunk = chunkBytes(members);
  }

  /** Creates the file; after a failure it is removed. */
  static HostMemory create(Path file, int members) throws IOException {
    if (bytes(members) > Integer.MAX_VALUE) {
      throw new IOException(members + " members on one host need too much shared memory");
    }
    return new HostMemory(SegmentFile.allocate(file, bytes(members)), members);
  }

  /** Maps the file of another member. */
  static HostMemory open(Path file, int members) throws IOException {
    try (FileChannel channel = FileChannel.open(file, READ, WRITE, LinkOption.NOFOLLOW_LINKS)) {
      if (channel.size() != bytes(members)) {
        throw new IOException(
            file + " has " + channel.size() + " bytes in place of " + bytes(members));
      }
      MappedByteBuffer memory = channel.map(MapMode.READ_WRITE, 0, channel.size());
      memory.order(ByteOrder.LITTLE_ENDIAN);
      return new HostMemory(memory, members);
    }
  }

  /** Returns the bytes of a chunk: all inputs together stay below {@link #MOST_INPUT_BYTES}. */
  private static int chunkBytes(int members) {
    long share = MOST_INPUT_BYTES / ((long) members * members * SLOTS);
    return (int) Math.max(LEAST_CHUNK, Math.min(MOST_CHUNK, share / LEAST_CHUNK * LEAST_CHUNK));
  }

  private static long bytes(int members) {
    long chunks = (long) members * SLOTS * (members + 1);
    return (long) members * MEMBER_LINES * LINE + chunks * chunkBytes(members);
  }

  int members() {
    return members;
  }

  int chunkBytes() {
    return chunk;
  }

  long get(int member, Counter counter) {
    return (long) WORD.getAcquire(memory, line(member, counter.line));
  }

  void set(int member, Counter counter, long steps) {
    WORD.setRelease(memory, line(member, counter.line), steps);
  }

  long signature(int member, long step) {
    return (long) WORD.getAcquire(memory, signatureLine(member, step));
  }

  void sign(int member, long step, long signature) {
    WORD.setRelease(memory, signatureLine(member, step), signature);
  }

  private int signatureLine(int member, long step) {
    return line(member, Counter.values().length + slot(step));
  }

  private int line(int member, int number) {
    return (member * MEMBER_LINES + number) * LINE;
  }

  private static int slot(long step) {
    return (int) (step % SLOTS);
  }

  /** Returns {@code bytes} of a member's input for the part of another one, from a byte on. */
  ByteBuffer input(int member, long step, int part, int from, int bytes) {
    return chunk((member * SLOTS + slot(step)) * members + part, from, bytes);
  }

  /** Returns {@code bytes} of a member's output. */
  ByteBuffer output(int member, long step, int bytes) {
    return chunk(members * SLOTS * members + member * SLOTS + slot(step), 0, bytes);
  }

  private ByteBuffer chunk(int number, int from, int bytes) {
    int at = members * MEMBER_LINES * LINE + number * chunk + from;
    return memory.slice(at, bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
