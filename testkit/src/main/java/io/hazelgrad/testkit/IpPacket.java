package io.hazelgrad.testkit;

import java.nio.ByteBuffer;

/** An IPv4 packet, as far as a router of tests looks at it. */
record IpPacket(ByteBuffer bytes) {
  private static final int IP = 20;
  private static final int TCP = 20;
  private static final int PROTOCOL_TCP = 6;
  private static final int SOURCE = 12;
  private static final int TARGET = 16;
  private static final int RST = 4;
  private static final int ACK = 16;

  static IpPacket of(byte[] bytes) {
    return new IpPacket(ByteBuffer.wrap(bytes));
  }

  boolean isIpv4() {
    return bytes.capacity() >= IP && (bytes.get(0) >> 4) == 4;
  }

  int source() {
    return bytes.getInt(SOURCE);
  }

  int target() {
    return bytes.getInt(TARGET);
  }

  private boolean isTcp() {
    return bytes.get(9) == PROTOCOL_TCP && bytes.capacity() >= start() + TCP;
  }

  private int start() {
    return (bytes.get(0) & 15) * 4;
  }

  /** Returns whether one of the two ports is this one. */
  boolean hasPort(int port) {
    return isTcp() && (port(0) == port || port(2) == port);
  }

  private int port(int offset) {
    return Short.toUnsignedInt(bytes.getShort(start() + offset));
  }

  private boolean has(int flag) {
    return (bytes.get(start() + 13) & flag) != 0;
  }

  boolean isReset() {
    return has(RST);
  }

  /** Returns a packet that ends the connection at the receiver of this one. */
  byte[] resetOfReceiver() {
    return reset(source(), target(), port(0), port(2), bytes.getInt(start() + 4), 0, RST);
  }

  /** Returns a packet that ends the connection at the sender of this one. */
  byte[] resetOfSender() {
    // Without an acknowledgement the other side has said nothing, so this one's number proves it.
    boolean answers = has(ACK);
    return reset(
        /* source= */ target(),
        /* target= */ source(),
        port(2),
        port(0),
        answers ? bytes.getInt(start() + 8) : 0,
        answers ? 0 : bytes.getInt(start() + 4) + 1,
        answers ? RST : RST | ACK);
  }

  private static byte[] reset(
      int source, int target, int from, int to, int sequence, int acknowledged, int flags) {
    ByteBuffer out = ByteBuffer.allocate(IP + TCP);
    out.putShort((short) 0x4500).putShort((short) (IP + TCP)).putInt(0);
    out.put((byte) 64).put((byte) PROTOCOL_TCP).putShort((short) 0).putInt(source).putInt(target);
    out.putShort((short) from).putShort((short) to).putInt(sequence).putInt(acknowledged);
    out.put((byte) ((TCP / 4) << 4)).put((byte) flags).putShort((short) 0).putInt(0);
    out.putShort(10, checksum(out, 0, IP, 0));
    out.putShort(IP + 16, checksum(out, SOURCE, IP + TCP, PROTOCOL_TCP + TCP));
    return out.array();
  }

  private static short checksum(ByteBuffer bytes, int from, int to, int start) {
    long sum = start;
    for (int i = from; i < to; i += 2) {
      sum += Short.toUnsignedInt(bytes.getShort(i));
    }
    while (sum >> 16 != 0) {
      sum = (sum & 0xffff) + (sum >> 16);
    }
    return (short) ~sum;
  }
}
