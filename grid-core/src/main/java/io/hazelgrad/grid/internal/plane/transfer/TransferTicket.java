package io.hazelgrad.grid.internal.plane.transfer;

import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.security.SecureRandom;

/**
 * The reference to a transfer that stands in a message in place of a tensor's elements: its number
 * at the sender, and the two halves of a secret of 128 bits.
 */
public record TransferTicket(long number, long high, long low) {
  private static final SecureRandom SECRETS = new SecureRandom();

  /** Returns a ticket with a new secret. */
  public static TransferTicket withNewSecret(long number) {
    return new TransferTicket(number, SECRETS.nextLong(), SECRETS.nextLong());
  }

  public void write(WireOutput out) {
    out.varint(number).int64(high).int64(low);
  }

  public static TransferTicket read(WireInput in) {
    return new TransferTicket(in.varint(), in.int64(), in.int64());
  }

  boolean isSame(TransferTicket other) {
    return number == other.number && ((high ^ other.high) | (low ^ other.low)) == 0;
  }

  @Override
  public String toString() {
    return "transfer " + number; // Without the secret.
  }
}
