package io.hazelgrad.rref.internal.registry;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.Proofs;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * The proof that commands come from a worker with the grid's secret, and when they were sent, by
 * the clock of the cluster.
 */
@SuppressWarnings("ArrayRecordComponent") // Not compared by content.
record CommandProof(long millis, byte[] bytes) {
  /** Shorter than a tombstone lives, so that the tombstone refuses what is younger. */
  static final long MOST_MILLIS =
      TimeUnit.SECONDS.toMillis(CommandProcessor.TOMBSTONE_SECONDS - 10);

  static final CommandProof NONE = new CommandProof(0, new byte[0]);

  static long now(HazelcastInstance member) {
    return member.getCluster().getClusterTime();
  }

  static CommandProof of(Proofs proofs, Proofs.Purpose purpose, long millis, byte[] commands) {
    return new CommandProof(millis, proofs.of(purpose, bytes(millis), commands));
  }

  /** Refuses commands for which this is not the proof. */
  void require(Proofs proofs, Proofs.Purpose purpose, byte[] commands, UUID sender) {
    if (!proofs.accept(bytes, purpose, bytes(millis), commands)) {
      throw refused(
          "commands to the registry from %s carry %s proof of the grid's secret: give all workers"
                  .formatted(sender, bytes.length == 0 ? "no" : "a wrong")
              + " the same secret file (HazelgradConfig.secret)");
    }
  }

  /** Refuses commands that are so old that a tombstone may have ended since. */
  void requireYoung(long now, UUID sender) {
    if (Math.abs(now - millis) > MOST_MILLIS) {
      throw refused(
          "commands to the registry from %s were sent %s ms ago, and count for %s ms at most"
              .formatted(sender, now - millis, MOST_MILLIS));
    }
  }

  private static GridException refused(String why) {
    return new GridException(Status.UNAUTHORIZED, why);
  }

  private static byte[] bytes(long millis) {
    return ByteBuffer.allocate(Long.BYTES).putLong(millis).array();
  }

  void write(ObjectDataOutput out) throws IOException {
    out.writeLong(millis);
    out.writeByteArray(bytes);
  }

  static CommandProof read(ObjectDataInput in) throws IOException {
    long millis = in.readLong();
    int length = in.readInt();
    if (length < 0 || length > Proofs.BYTES) {
      throw new IOException("A proof cannot have " + length + " bytes");
    }
    byte[] bytes = new byte[length];
    in.readFully(bytes);
    return new CommandProof(millis, bytes);
  }
}
