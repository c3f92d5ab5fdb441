package io.hazelgrad.rref.internal.protocol;

import com.hazelcast.nio.ObjectDataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Comparator;

/**
 * The id of a fork, that is, of one registered handle of an RRef. An id is never used twice.
 *
 * <p>The sender of an RRef makes the id, so that both sides know it before any reply. For a handle
 * that its issuer made or that was sent as an argument, {@code sequence} is a count of the issuer
 * and {@code index} is 0. For the handle at position {@code n} of a reply, the issuer is the
 * caller, {@code sequence} is the number of the call, and {@code index} is {@code 1 + n}. The
 * caller therefore knows the call of a fork even if the reply was lost.
 */
public record ForkId(long issuer, long sequence, int index) implements Comparable<ForkId> {
  private static final Comparator<ForkId> ORDER =
      Comparator.comparingLong(ForkId::issuer)
          .thenComparingLong(ForkId::sequence)
          .thenComparingInt(ForkId::index);

  /** Returns the id of a handle that the issuer made for itself or sends as an argument. */
  public static ForkId of(long issuer, long sequence) {
    return new ForkId(issuer, sequence, 0);
  }

  /** Returns the id of the handle at a position, counted from 0, of the reply to a call. */
  public static ForkId inReply(long caller, long call, int position) {
    return new ForkId(caller, call, 1 + position);
  }

  public boolean isInReply() {
    return index > 0;
  }

  void write(DataOutput out) throws IOException {
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
