package io.hazelgrad.grid.internal.plane.transfer;

import java.nio.ByteBuffer;

/**
 * Aligns copies in and out of sockets to cache lines. If everything that is sent is a multiple of a
 * line, and is read into memory that begins with a line, both sides of each copy are aligned. With
 * a target 1 to 15 bytes off, copying took two and a half times as long on an AMD EPYC.
 */
public final class CacheLine {
  public static final int BYTES = 64;
  private static final byte[] ZEROS = new byte[BYTES];

  private CacheLine() {}

  /** Returns memory outside the heap that begins with a line. */
  public static ByteBuffer allocate(int bytes) {
    return ByteBuffer.allocateDirect(bytes + BYTES).alignedSlice(BYTES).slice(0, bytes);
  }

  /** Returns the number of bytes that are missing to whole lines. */
  public static int padding(long bytes) {
    return (int) (-bytes & (BYTES - 1));
  }

  public static void pad(ByteBuffer out) {
    out.put(ZEROS, 0, padding(out.position()));
  }
}
