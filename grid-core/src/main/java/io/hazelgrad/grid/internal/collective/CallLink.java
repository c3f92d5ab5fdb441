package io.hazelgrad.grid.internal.collective;

import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.TensorBytes;
import io.hazelgrad.grid.Worker;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * A ring's links by calls, for workers whose ports cannot be reached. The elements leave in pieces,
 * so that the receiver uses the first ones while the next ones arrive.
 */
final class CallLink implements RingLink {
  private static final int PIECE_BYTES = 4 << 20;

  private final Inbox inbox;
  private final Outbox outbox;
  private final List<Worker> members;
  private final int previous;
  private final int next;

  /**
   * Counts the pieces in both directions. Tags of rounds are below zero, those of users are not.
   */
  private long sentTag;

  private long receivedTag;

  /**
   * @param members all members of the collective by rank
   * @param previous the rank of the leader before
   * @param next the rank of the next leader
   */
  CallLink(Inbox inbox, Outbox outbox, List<Worker> members, int previous, int next) {
    this.inbox = inbox;
    this.outbox = outbox;
    this.members = members;
    this.previous = previous;
    this.next = next;
  }

  @Override
  public void run(Relay relay, RoundSignature signature, RoundControl control) {
    long sent = 0;
    long received = 0;
    while (sent < relay.outgoing() || received < relay.incoming()) {
      long ready = relay.ready(received);
      while (sent < ready) {
        sent += send(relay, sent, ready, signature);
      }
      if (received < relay.incoming()) {
        received += receive(relay, received, signature, control);
      }
    }
  }

  private int send(Relay relay, long from, long ready, RoundSignature signature) {
    int size = signature.dtype().bytes();
    int count = (int) Math.min(PIECE_BYTES / size, ready - from);
    ByteBuffer piece = ByteBuffer.allocate(count * size).order(ByteOrder.LITTLE_ENDIAN);
    relay.fill(from, from + count, piece);
    Tensor leaving = TensorBytes.read(signature.dtype(), new long[] {count}, count, piece.flip());
    long tag = --sentTag;
    var unused = outbox.send(next, tag, signature.encoded(), List.of(leaving)); // Failure ends all.
    return count;
  }

  private int receive(Relay relay, long from, RoundSignature signature, RoundControl control) {
    long tag = --receivedTag;
    Inbox.Part arrived = inbox.take(previous, tag, control);
    control.requireSame(signature, members.get(previous), arrived.signature());
    Tensor elements = arrived.tensors().get(0);
    int bytes = elements.size() * signature.dtype().bytes();
    ByteBuffer piece = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    elements.storage().copyTo(piece);
    relay.take(from, piece.flip());
    elements.release();
    return elements.size();
  }

  @Override
  public long bytesSent() {
    return 0; // The outbox counts them.
  }

  @Override
  public void close() {}
}
