package io.hazelgrad.grid.internal.plane.stream;

import io.hazelgrad.grid.internal.plane.transfer.CacheLine;
import io.hazelgrad.grid.internal.plane.transfer.TransferTicket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * A request of a receiver on a stream: {@value #BYTES} bytes, little-endian.
 *
 * <p>The answer to {@link Kind#FETCH} is the number of bytes as a long, and the elements, raw and
 * little-endian. If the transfer or the elements do not exist, the number is {@link #GONE} and
 * nothing follows. Both parts are padded with zeros to whole lines ({@link CacheLine}). {@link
 * Kind#DONE} has no answer.
 *
 * @param from the first element
 * @param count the number of elements
 */
record StreamRequest(Kind kind, TransferTicket ticket, int from, int count) {
  enum Kind {
    /** Asks for elements. */
    FETCH(0x487a5301),
    /** Tells that all elements have arrived. */
    DONE(0x487a5302);

    private final int code;

    Kind(int code) {
      this.code = code;
    }
  }

  /** The number of bytes in an answer without elements. */
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

  static @Nullable StreamRequest read(ByteBuffer in) {
    int code = in.order(ByteOrder.LITTLE_ENDIAN).getInt();
    TransferTicket ticket = new TransferTicket(in.getLong(), in.getLong(), in.getLong());
    Kind kind = code == Kind.FETCH.code ? Kind.FETCH : Kind.DONE;
    return code == kind.code ? new StreamRequest(kind, ticket, in.getInt(), in.getInt()) : null;
  }

  /** Returns whether the requested elements exist in a tensor of {@code length} elements. */
  boolean isWithin(int length) {
    return from >= 0 && count >= 0 && count <= length - from;
  }
}
