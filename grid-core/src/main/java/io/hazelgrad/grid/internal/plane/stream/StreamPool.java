package io.hazelgrad.grid.internal.plane.stream;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.internal.plane.transfer.ReceiveBuffer;
import io.hazelgrad.grid.internal.plane.transfer.TransferTicket;
import io.hazelgrad.grid.internal.plane.transfer.WaitBudget;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The streams of a receiver to one sender: at most {@value #MOST}, made when they are needed, kept
 * for half a minute. If the sender's port cannot be reached, as behind a firewall, that is tried
 * again after some time only.
 *
 * <p>Threads: safe.
 */
public final class StreamPool implements AutoCloseable {
  /** Where a sender can be connected to. */
  public interface Address {
    /** Returns it; looked up only when there is no stream yet. */
    InetSocketAddress find() throws IOException;
  }

  private static final Logger LOG = LoggerFactory.getLogger(StreamPool.class);

  /** More do not make one faster, but let a small tensor pass a large one. */
  private static final int MOST = 4;

  private static final Duration CONNECT = Duration.ofSeconds(1);
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final Semaphore room = new Semaphore(MOST, true);
  private final ConcurrentLinkedDeque<StreamReceiver> idle = new ConcurrentLinkedDeque<>();
  private final Set<StreamReceiver> all = ConcurrentHashMap.newKeySet();
  private volatile long failedNanos = System.nanoTime() - RETRY_NANOS;
  private volatile boolean warned;
  private volatile boolean closed;

  /**
   * Reads as many elements of a tensor as it can get.
   *
   * @param address the sender's
   * @param isReply whether the sender is to be told when all is there
   * @return how many are there; the others have to come by another way
   * @throws GridException if the patience ends
   */
  public int read(
      Address address,
      TransferTicket ticket,
      ReceiveBuffer landing,
      boolean isReply,
      WaitBudget patience) {
    if (System.nanoTime() - failedNanos < RETRY_NANOS) {
      return 0;
    }
    patience.acquire(room, 1, () -> {});
    try {
      int there = 0;
      boolean fresh = false;
      while (there < landing.length() && !fresh && !closed) {
        // One that was kept may have been closed since; a new one is the last try.
        StreamReceiver stream = idle.poll();
        fresh = stream == null;
        if (stream == null) {
          stream = connect(address, patience);
        }
        if (stream != null) {
          there = read(stream, ticket, there, landing, isReply, patience);
        }
      }
      return there;
    } finally {
      room.release();
    }
  }

  private int read(
      StreamReceiver stream,
      TransferTicket ticket,
      int from,
      ReceiveBuffer landing,
      boolean isReply,
      WaitBudget patience) {
    boolean whole = false;
    try {
      int there = stream.read(ticket, from, landing, patience);
      whole = there == landing.length() && (!isReply || stream.done(ticket));
      return there;
    } finally {
      if (whole) {
        idle.push(stream);
      } else {
        end(stream);
      }
      if (closed) { // As in connect().
        close();
      }
    }
  }

  private @Nullable StreamReceiver connect(Address address, WaitBudget patience) {
    try {
      StreamReceiver stream = StreamReceiver.connect(address.find(), CONNECT, patience);
      all.add(stream);
      if (closed) { // Here or in close(): one of the two sees it.
        end(stream);
        return null;
      }
      return stream;
    } catch (IOException | OutOfMemoryError e) {
      failedNanos = System.nanoTime();
      if (!warned) {
        warned = true;
        LOG.warn(
            "worker {} cannot be reached by a stream for large tensors, which come in messages,"
                + " and slower: {}",
            patience.sender().name(),
            e.toString());
      }
      return null;
    }
  }

  private void end(StreamReceiver stream) {
    all.remove(stream);
    stream.close();
  }

  /** Ends those that nobody has used for some time. */
  public void sweep() {
    for (StreamReceiver stream : idle) {
      if (stream.idleNanos() > IDLE_NANOS && idle.remove(stream)) {
        end(stream);
      }
    }
  }

  /** Ends all, also those that are being read from. */
  @Override
  public void close() {
    closed = true;
    all.forEach(this::end);
    idle.clear();
  }
}
