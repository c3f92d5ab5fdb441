package io.hazelgrad.rref.internal.protocol;

import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import java.io.IOException;
import java.util.Comparator;

/**
 * The name of one handle of an RRef. It lives once: a fork that went never comes back under its id.
 *
 * <p>Who hands an RRef on makes the id, so that both sides know it before any answer. For a handle
 * made by its issuer and for one sent as an argument, {@code sequence} is a count of the issuer and
 * {@code index} is 0. For the handle at position {@code n} of a reply, the issuer is the caller,
 * {@code sequence} its number for the call, and {@code index} is {@code 1 + n}: the caller can so
 * tell which of its calls a fork belongs to, even when the reply was lost.
 */
public record ForkId(long issuer, long sequence, int index) implements Comparable<ForkId> {
  private static final Comparator<ForkId> ORDER =
      Comparator.comparingLong(ForkId::issuer)
          .thenComparingLong(ForkId::sequence)
          .thenComparingInt(ForkId::index);

  /** Names a handle that the issuer made for itself or sends as an argument. */
  public static ForkId of(long issuer, long sequence) {
    return new ForkId(issuer, sequence, 0);
  }

  /** Names the handle at a position, counted from 0, of the reply to a call. */
  public static ForkId inReply(long caller, long call, int position) {
    return new ForkId(caller, call, 1 + position);
  }

  public boolean isInReply() {
    return index > 0;
  }

  void write(ObjectDataOutput out) throws IOException {
    out.writeLong(issuer);
    out.writeLong(sequence);
    out.writeInt(index);
  }

  static ForkId read(ObjectDataInput in) throws IOException {
    return new ForkId(in.readLong(), in.readLong(), in.readInt());
  }

  @Override
  public int compareTo(ForkId other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return "fork " + issuer + "-" + sequence + (index == 0 ? "" : "." + index);
  }
}
