package io.hazelgrad.grid.internal.collective;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.plane.transfer.CacheLine;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedSelectorException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A ring's links by a connection to the next leader and one from the leader before.
 *
 * <p>A round's bytes are a line with its signature, and the elements, padded to whole lines ({@link
 * CacheLine}). The thread of the round does both directions in turn: it writes what is ready as far
 * as the socket has room, and reads what is there. If it can do neither, it polls for a moment and
 * then sleeps. A leader that has nothing to send in a round sends nothing at all.
 *
 * <p>A connection that breaks ends the collective, since what was on its way is lost.
 */
final class SocketLink implements RingLink {
  private static final int BUFFER = 256 << 10;
  private static final long SPIN_NANOS = TimeUnit.MICROSECONDS.toNanos(100);
  private static final long LOOK_MILLIS = 50;

  /** The time in which the reason for a broken connection is to come by other ways. */
  private static final long REASON_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final RingChannels channels;
  private final Worker sender;
  private final Worker receiver;
  private final ByteBuffer in = CacheLine.allocate(BUFFER).order(ByteOrder.LITTLE_ENDIAN);
  private final ByteBuffer out =
      CacheLine.allocate(BUFFER + CacheLine.BYTES).order(ByteOrder.LITTLE_ENDIAN);
  private final AtomicLong bytes = new AtomicLong();

  /**
   * @param channels its connections, which it closes
   * @param sender the leader before
   * @param receiver the next leader
   */
  SocketLink(RingChannels channels, Worker sender, Worker receiver) {
    this.channels = channels;
    this.sender = sender;
    this.receiver = receiver;
  }

  @Override
  public void run(Relay relay, RoundSignature signature, RoundControl control) {
    Round round = new Round(relay, signature, control);
    try {
      long idleSince = 0;
      while (round.isUnderWay()) {
        boolean wrote = round.write();
        if (round.read() || wrote) {
          if (idleSince != 0) {
            control.waitedSince(idleSince);
          }
          idleSince = 0;
        } else {
          // The conditions come last: a leader that has left may have sent its part before.
          control.check(() -> List.of(round.isReceiving() ? sender : receiver));
          idleSince = idleSince == 0 ? System.nanoTime() : idleSince;
          pause(round, idleSince);
        }
      }
    } catch (IOException | ClosedSelectorException e) {
      throw broken(e, round.neighbour, control);
    }
  }

  @SuppressWarnings("ThreadPriorityCheck") // It yields for speed only, and sleeps soon.
  private void pause(Round round, long idleSince) throws IOException {
    if (System.nanoTime() - idleSince < SPIN_NANOS) {
      Thread.yield();
      return;
    }
    channels.await(round.isReceiving(), out.hasRemaining(), LOOK_MILLIS);
  }

  /** Waits for the reason, which is mostly the loss or the end of a neighbour. */
  private GridException broken(Exception e, Worker neighbour, RoundControl control) {
    if (Thread.currentThread().isInterrupted()) {
      return new GridException(Status.CANCELLED, "a wait for tensors was interrupted", e);
    }
    long start = System.nanoTime();
    try {
      while (System.nanoTime() - start < REASON_NANOS) {
        control.check(() -> List.of(neighbour));
        channels.await(false, false, LOOK_MILLIS);
      }
      control.check(() -> List.of(neighbour));
    } catch (IOException | RuntimeException other) {
      if (other instanceof GridException why) {
        return why;
      }
      e.addSuppressed(other); // The link was closed meanwhile.
    }
    return new GridException(
        Status.WORKER_LOST,
        "the connection with worker %s broke in a round: %s".formatted(neighbour.name(), e),
        true,
        null,
        e);
  }

  @Override
  public long bytesSent() {
    return bytes.get();
  }

  @Override
  public void close() {
    channels.close();
  }

  /** The progress of one round. */
  private final class Round {
    private final Relay relay;
    private final RoundSignature signature;
    private final RoundControl control;
    private final int size;

    /** The elements that are in the output buffer or have left it. */
    private long taken;

    private boolean begun;

    private long received;

    /** The bytes that are still to be read, with the first line and the padding. */
    private long missing;

    /** The first unread byte of the input buffer. */
    private int begin;

    private boolean checked;

    /** The other side of the connection that was used last. */
    private Worker neighbour = receiver;

    Round(Relay relay, RoundSignature signature, RoundControl control) {
      this.relay = relay;
      this.signature = signature;
      this.control = control;
      this.size = signature.dtype().bytes();
      long elements = relay.incoming() * size;
      this.missing = elements == 0 ? 0 : CacheLine.BYTES + elements + CacheLine.padding(elements);
      in.clear();
      out.clear().limit(0);
    }

    boolean isUnderWay() {
      return taken < relay.outgoing() || out.hasRemaining() || isReceiving();
    }

    boolean isReceiving() {
      return missing > 0;
    }

    /** Writes what is ready; returns whether the socket took something. */
    boolean write() throws IOException {
      if (!out.hasRemaining() && taken < relay.outgoing()) {
        fill();
      }
      if (!out.hasRemaining()) {
        return false;
      }
      neighbour = receiver;
      int written = channels.next().write(out);
      bytes.addAndGet(written);
      return written > 0;
    }

    private void fill() {
      long ready = relay.ready(received);
      long lines = ready - ready % (CacheLine.BYTES / size);
      if (ready < relay.outgoing() && lines > taken) { // So that the next ones are aligned too.
        ready = lines;
      }
      out.clear();
      if (!begun) {
        out.putLong(signature.encoded()).position(CacheLine.BYTES);
        begun = true;
      }
      long end = Math.min(ready, taken + (BUFFER - out.position()) / size);
      relay.fill(taken, end, out);
      taken = end;
      if (taken == relay.outgoing()) {
        out.position(out.position() + CacheLine.padding(taken * size));
      }
      out.flip();
    }

    /** Reads and uses what has arrived; returns whether there was something. */
    boolean read() throws IOException {
      if (missing == 0) {
        return false;
      }
      // Not beyond the round: its sender may have begun the next one.
      in.limit((int) Math.min(in.capacity(), in.position() + missing));
      neighbour = sender;
      int read = channels.previous().read(in);
      if (read < 0) {
        throw new EOFException("worker " + sender.name() + " has closed the connection");
      }
      missing -= read;
      use();
      return read > 0;
    }

    private void use() {
      if (!checked) {
        if (in.position() < CacheLine.BYTES) {
          return;
        }
        control.requireSame(signature, sender, in.getLong(0));
        checked = true;
        begin = CacheLine.BYTES;
      }
      long some = Math.min((in.position() - begin) / size, relay.incoming() - received);
      if (some > 0) {
        int count = (int) some * size;
        relay.take(received, in.slice(begin, count));
        received += some;
        begin += count;
      }
      if (begin == in.position() || received == relay.incoming()) {
        begin = in.position() % CacheLine.BYTES; // Back to the start, which is in the cache.
        in.position(begin);
      } else if (!in.hasRemaining()) { // The end of the buffer cut an element.
        int from = begin;
        begin %= CacheLine.BYTES;
        ByteBuffer rest = in.duplicate().position(from).limit(in.capacity());
        in.position(begin);
        in.put(rest.slice());
      }
    }
  }
}
