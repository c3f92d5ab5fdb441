package io.hazelgrad.grid.internal.plane.stream;

import io.hazelgrad.grid.internal.plane.transfer.CacheLine;
import io.hazelgrad.grid.internal.plane.transfer.TransferTicket;
import io.hazelgrad.grid.spi.Proofs;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * A request of a receiver on a stream: {@value #BYTES} bytes, little-endian. The last {@value
 * Proofs#BYTES} are the proof that the receiver has the grid's secret, or zeros.
 *
 * <p>The answer to {@link Kind#FETCH} is the number of bytes as a long, and the elements, raw and
 * little-endian. If the transfer or the elements do not exist, the number is {@link #GONE} and
 * nothing follows; neither does it after {@link #REFUSED}, if the proof is wrong. Both parts are
 * padded with zeros to whole lines ({@link CacheLine}). {@link Kind#DONE} has no answer. After
 * {@link Kind#LINK} the connection belongs to the caller of {@link StreamLinks#expect}.
 *
 * @param from the first element
 * @param count the number of elements
 */
record StreamRequest(Kind kind, TransferTicket ticket, int from, int count) {
  enum Kind {
    /** Asks for elements. */
    FETCH(0x487a5301),
    /** Tells that all elements have arrived. */
    DONE(0x487a5302),
    /** Gives the connection to the caller of {@link StreamLinks#expect} with this ticket. */
    LINK(0x487a5303);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    static @Nullable Kind of(int code) {
      for (Kind kind : values()) {
        if (kind.code == code) {
          return kind;
        }
      }
      return null;
    }
  }

  /** The number of bytes in an answer without elements. */
  static final long GONE = -1;

  /** The number of bytes in an answer to a receiver without the grid's secret. */
  static final long REFUSED = -2;

  private static final int UNPROVEN_BYTES = 36;
  static final int BYTES = UNPROVEN_BYTES + Proofs.BYTES;

  void write(ByteBuffer out, Proofs proofs) {
    out.order(ByteOrder.LITTLE_ENDIAN)
        .putInt(kind.code)
        .putLong(ticket.number())
        .putLong(ticket.high())
        .putLong(ticket.low())
        .putInt(from)
        .putInt(count);
    out.put(proofs.of(Proofs.Purpose.STREAM, unproven(out))).position(BYTES);
  }

  /** Returns whether the bytes of a request end with its proof. */
  static boolean isProven(ByteBuffer request, Proofs proofs) {
    byte[] proof = new byte[Proofs.BYTES];
    request.get(UNPROVEN_BYTES, proof);
    return proofs.accept(proof, Proofs.Purpose.STREAM, unproven(request));
  }

  private static byte[] unproven(ByteBuffer request) {
    byte[] bytes = new byte[UNPROVEN_BYTES];
    request.get(0, bytes);
    return bytes;
  }

  /** Returns whether the bytes that have arrived may be the first ones of a request. */
  static boolean isBegun(ByteBuffer arrived) {
    if (arrived.position() < Integer.BYTES) {
      return true;
    }
    return Kind.of(arrived.order(ByteOrder.LITTLE_ENDIAN).getInt(0)) != null;
  }

  static @Nullable StreamRequest read(ByteBuffer in) {
    Kind kind = Kind.of(in.order(ByteOrder.LITTLE_ENDIAN).getInt());
    TransferTicket ticket = new TransferTicket(in.getLong(), in.getLong(), in.getLong());
    return kind == null ? null : new StreamRequest(kind, ticket, in.getInt(), in.getInt());
  }

  /** Returns whether the requested elements exist in a tensor of {@code length} elements. */
  boolean isWithin(int length) {
    return from >= 0 && count >= 0 && count <= length - from;
  }
}
