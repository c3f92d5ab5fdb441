package io.hazelgrad.grid.internal.plane.stream;

import io.hazelgrad.grid.internal.plane.transfer.CacheLine;
import io.hazelgrad.grid.internal.plane.transfer.TransferTicket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * What a receiver says on a stream: {@value #BYTES} bytes, little-endian. The answer to {@link
 * Kind#FETCH} is the number of bytes of the elements, as a long, and these: raw and little-endian.
 * If there is no such transfer, or not so many elements, it is {@link #GONE} and nothing follows.
 * Both parts are filled up with zeros to whole lines ({@link CacheLine}). {@link Kind#DONE} has no
 * answer.
 *
 * @param kind what is asked for
 * @param ticket of the transfer
 * @param from the first element
 * @param count how many
 */
record StreamRequest(Kind kind, TransferTicket ticket, int from, int count) {
  /** What is asked for. */
  enum Kind {
    /** Elements. */
    FETCH(0x487a5301),
    /** Nothing more: the receiver has all. */
    DONE(0x487a5302);

    private final int code;

    Kind(int code) {
      this.code = code;
    }
  }

  /** The length of an answer where there is none. */
  static final long GONE = -1;

  static final int BYTES = 36;

  void write(ByteBuffer out) {
    out.order(ByteOrder.LITTLE_ENDIAN)
        .putInt(kind.code)
        .putLong(ticket.number())
        .putLong(ticket.high())
        .putLong(ticket.low())
        .putInt(from)
        .putInt(count);
  }

  /** Reads a request; null if that is none, as of whoever speaks something else. */
  static @Nullable StreamRequest read(ByteBuffer in) {
    in.order(ByteOrder.LITTLE_ENDIAN);
    int code = in.getInt();
    TransferTicket ticket = new TransferTicket(in.getLong(), in.getLong(), in.getLong());
    int from = in.getInt();
    int count = in.getInt();
    for (Kind kind : Kind.values()) {
      if (kind.code == code) {
        return new StreamRequest(kind, ticket, from, count);
      }
    }
    return null;
  }

  /** Returns whether the elements that it names are among so many. */
  boolean isWithin(int length) {
    return from >= 0 && count >= 0 && count <= length - from;
  }
}
