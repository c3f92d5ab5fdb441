package io.hazelgrad.grid.spi;

/** Writes strings as UTF-8 straight into an output's buffer, in one pass if they are ASCII. */
final class Utf8 {
  /** Half a surrogate pair makes {@link #write} write nothing. */
  static final int REFUSE = -1;

  private static final int MAX_VARINT = 5;

  private Utf8() {}

  /** Writes length and bytes, with {@code half}, if not REFUSE, for half a surrogate pair. */
  static boolean write(String value, WireOutput out, int half) {
    int start = out.size();
    int length = value.length();
    out.varint(length);
    byte[] buffer = out.room(length);
    int at = out.size();
    for (int i = 0; i < length; i++) {
      char c = value.charAt(i);
      if (c >= 0x80) {
        out.size(start);
        return writeOther(value, i, out, half);
      }
      buffer[at + i] = (byte) c;
    }
    out.size(at + length);
    return true;
  }

  /** Writes a string that has only ASCII before {@code ascii}, and something else there. */
  private static boolean writeOther(String value, int ascii, WireOutput out, int half) {
    int start = out.size();
    long bytes = ascii;
    for (int i = ascii; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c < 0x80) {
        bytes++;
      } else if (c < 0x800) {
        bytes += 2;
      } else if (!Character.isSurrogate(c)) {
        bytes += 3;
      } else if (isPair(value, i)) {
        bytes += 4;
        i++;
      } else if (half == REFUSE) {
        return false;
      } else {
        bytes++;
      }
    }
    int room = (int) Math.min(bytes + MAX_VARINT, Integer.MAX_VALUE);
    out.room(room); // Once; too large a string is refused here.
    out.size(start);
    out.varint(bytes);
    byte[] buffer = out.room((int) bytes);
    int at = out.size();
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c < 0x80) {
        buffer[at++] = (byte) c;
      } else if (c < 0x800) {
        buffer[at++] = (byte) (0xc0 | (c >> 6));
        buffer[at++] = (byte) (0x80 | (c & 0x3f));
      } else if (!Character.isSurrogate(c)) {
        buffer[at++] = (byte) (0xe0 | (c >> 12));
        buffer[at++] = (byte) (0x80 | ((c >> 6) & 0x3f));
        buffer[at++] = (byte) (0x80 | (c & 0x3f));
      } else if (isPair(value, i)) {
        int point = value.codePointAt(i++);
        buffer[at++] = (byte) (0xf0 | (point >> 18));
        buffer[at++] = (byte) (0x80 | ((point >> 12) & 0x3f));
        buffer[at++] = (byte) (0x80 | ((point >> 6) & 0x3f));
        buffer[at++] = (byte) (0x80 | (point & 0x3f));
      } else {
        buffer[at++] = (byte) half;
      }
    }
    out.size(at);
    return true;
  }

  private static boolean isPair(String value, int i) {
    return Character.isHighSurrogate(value.charAt(i))
        && i + 1 < value.length()
        && Character.isLowSurrogate(value.charAt(i + 1));
  }
}
