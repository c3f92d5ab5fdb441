package io.hazelgrad.grid.internal.plane.stream;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.internal.plane.transfer.ReceiveBuffer;
import io.hazelgrad.grid.internal.plane.transfer.TransferTicket;
import io.hazelgrad.grid.internal.plane.transfer.WaitBudget;
import io.hazelgrad.grid.spi.Proofs;
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
 * The streams of a receiver to one sender. At most {@value #MAX_STREAMS} are opened, when they are
 * needed; an idle one is closed after 30 s. If the sender's port cannot be reached, or a stream
 * falls silent, the next attempt follows after 10 s at the earliest. Threads: safe.
 */
public final class StreamPool implements AutoCloseable {
  /** Finds the address of a sender when a new stream is needed. */
  public interface Address {
    InetSocketAddress find() throws IOException;
  }

  private static final Logger LOG = LoggerFactory.getLogger(StreamPool.class);

  /** More streams do not make one tensor faster, but let a small tensor pass a large one. */
  private static final int MAX_STREAMS = 4;

  private static final Duration CONNECT = Duration.ofSeconds(1);
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final Proofs proofs;
  private final Semaphore room = new Semaphore(MAX_STREAMS, true);
  private final ConcurrentLinkedDeque<StreamReceiver> idle = new ConcurrentLinkedDeque<>();
  private final Set<StreamReceiver> all = ConcurrentHashMap.newKeySet();
  private volatile long failedNanos = System.nanoTime() - RETRY_NANOS;
  private volatile boolean warned;
  private volatile boolean closed;

  public StreamPool(Proofs proofs) {
    this.proofs = proofs;
  }

  /**
   * Reads as many elements of a tensor as the streams deliver.
   *
   * @param isReply whether to tell the sender when all elements have arrived
   * @return the number of elements that have arrived; the others have to be fetched in chunks
   * @throws GridException if the wait budget ends
   */
  public int read(
      Address address,
      TransferTicket ticket,
      ReceiveBuffer buffer,
      boolean isReply,
      WaitBudget budget) {
    if (isResting()) {
      return 0;
    }
    budget.acquire(room, 1, () -> {});
    try {
      int arrived = 0;
      boolean fresh = false;
      while (arrived < buffer.length() && !fresh && !closed && !isResting()) {
        // The sender may have closed an idle stream; a new one is the last attempt.
        StreamReceiver known = idle.poll();
        fresh = known == null;
        StreamReceiver stream = fresh ? connect(address, budget) : known;
        if (stream != null) {
          arrived = read(stream, ticket, arrived, buffer, isReply, budget);
        }
      }
      return arrived;
    } finally {
      room.release();
    }
  }

  private boolean isResting() {
    return System.nanoTime() - failedNanos < RETRY_NANOS;
  }

  private int read(
      StreamReceiver stream,
      TransferTicket ticket,
      int from,
      ReceiveBuffer buffer,
      boolean isReply,
      WaitBudget budget) {
    boolean complete = false;
    try {
      int arrived = stream.read(ticket, from, buffer, budget);
      complete = arrived == buffer.length() && (!isReply || stream.done(ticket));
      if (stream.wasSilent()) {
        failed(budget, "a stream fell silent");
      }
      return arrived;
    } finally {
      if (complete) {
        idle.push(stream);
      } else {
        end(stream);
      }
      if (closed) { // close() may have run before the stream was idle again.
        close();
      }
    }
  }

  private @Nullable StreamReceiver connect(Address address, WaitBudget budget) {
    try {
      StreamReceiver stream = StreamReceiver.connect(address.find(), CONNECT, budget, proofs);
      all.add(stream);
      if (closed) { // Either this check or close() ends the stream.
        end(stream);
        return null;
      }
      return stream;
    } catch (IOException | OutOfMemoryError e) {
      failed(budget, e.toString());
      return null;
    }
  }

  private void failed(WaitBudget budget, String why) {
    failedNanos = System.nanoTime();
    if (!warned) {
      warned = true;
      LOG.warn(
          "no stream for large tensors from worker {}: they come in messages, which is slower: {}",
          budget.sender().name(),
          why);
    }
  }

  private void end(StreamReceiver stream) {
    all.remove(stream);
    stream.close();
  }

  /** Closes the streams that were idle for 30 s. */
  public void sweep() {
    for (StreamReceiver stream : idle) {
      if (stream.idleNanos() > IDLE_NANOS && idle.remove(stream)) {
        end(stream);
      }
    }
  }

  /** Closes all streams, also those that are being read. */
  @Override
  public void close() {
    closed = true;
    all.forEach(this::end);
    idle.clear();
  }
}
