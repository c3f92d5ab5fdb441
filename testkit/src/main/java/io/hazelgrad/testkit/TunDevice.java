package io.hazelgrad.testkit;

import com.sun.jna.LastErrorException;
import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * A network device of Linux whose packets this process reads and writes. The device goes away when
 * it is closed or this process ends. Java cannot make one: that takes a system call on an open
 * file, hence JNA. Threads: one reads and any may write, but none after {@link #close}.
 */
final class TunDevice implements AutoCloseable {
  private static final int O_RDWR_NONBLOCK_CLOEXEC = 02 | 04000 | 02000000;
  private static final long TUNSETIFF = 0x400454caL;
  private static final short IFF_TUN_NO_PI = 0x1001;
  private static final int IFREQ_BYTES = 40;
  private static final int NAME_BYTES = 16;
  private static final short POLLIN = 1;
  private static final int PATIENCE_MILLIS = 100;
  private static final int EAGAIN = 11;

  /** The functions of the C library, which is loaded at the first use of a device. */
  private interface LibC extends Library {
    LibC INSTANCE = Native.load("c", LibC.class);

    int open(String path, int flags) throws LastErrorException;

    int ioctl(int file, NativeLong request, byte[] argument) throws LastErrorException;

    int poll(byte[] files, NativeLong count, int millis) throws LastErrorException;

    NativeLong read(int file, byte[] buffer, NativeLong count) throws LastErrorException;

    NativeLong write(int file, byte[] buffer, NativeLong count) throws LastErrorException;

    int close(int file) throws LastErrorException;
  }

  private final LibC libc = LibC.INSTANCE;
  private final String name;
  private final int file;

  private TunDevice(String name, int file) {
    this.name = name;
    this.file = file;
  }

  /** Creates a device in the network namespace of this process. */
  static TunDevice create(String name) throws IOException {
    LibC libc = LibC.INSTANCE;
    try {
      int file = libc.open("/dev/net/tun", O_RDWR_NONBLOCK_CLOEXEC);
      ByteBuffer request = ByteBuffer.allocate(IFREQ_BYTES).order(ByteOrder.nativeOrder());
      request.put(name.getBytes(StandardCharsets.US_ASCII)).position(NAME_BYTES);
      request.putShort(IFF_TUN_NO_PI);
      try {
        libc.ioctl(file, new NativeLong(TUNSETIFF), request.array());
      } catch (LastErrorException e) {
        libc.close(file);
        throw e;
      }
      return new TunDevice(name, file);
    } catch (LastErrorException e) {
      throw new IOException("cannot create the network device " + name + ": " + e.getMessage(), e);
    }
  }

  String name() {
    return name;
  }

  /** Reads a packet; returns its length, or 0 if none came within 100 ms. */
  int read(byte[] buffer) throws IOException {
    try {
      ByteBuffer poll = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder());
      poll.putInt(file).putShort(POLLIN);
      if (libc.poll(poll.array(), new NativeLong(1), PATIENCE_MILLIS) == 0) {
        return 0;
      }
      return libc.read(file, buffer, new NativeLong(buffer.length)).intValue();
    } catch (LastErrorException e) {
      if (e.getErrorCode() == EAGAIN) {
        return 0;
      }
      throw new IOException(name + " is gone: " + e.getMessage(), e);
    }
  }

  /** Writes a packet. A device that is full or gone loses it, as a network does. */
  void write(byte[] packet) {
    try {
      libc.write(file, packet, new NativeLong(packet.length));
    } catch (LastErrorException e) {
      // The host has ended, or is too busy to read.
    }
  }

  @Override
  public void close() {
    libc.close(file);
  }
}
