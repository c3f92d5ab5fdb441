package io.hazelgrad.grid.internal.plane;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Storage;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.plane.stream.StreamLinks;
import io.hazelgrad.grid.internal.plane.stream.StreamPool;
import io.hazelgrad.grid.internal.plane.transfer.PendingTransfers;
import io.hazelgrad.grid.internal.plane.transfer.ReceiveBuffer;
import io.hazelgrad.grid.internal.plane.transfer.ReceiveBufferPool;
import io.hazelgrad.grid.internal.plane.transfer.TransferTicket;
import io.hazelgrad.grid.internal.plane.transfer.WaitBudget;
import io.hazelgrad.grid.spi.GridContext;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Fetches the elements of tensors that are too large for a message: by a stream if the sender's
 * port can be reached, otherwise by calls in chunks. A tensor that exceeds the limit of the bytes
 * that arrive at one time is refused. The thread that reads the message waits, until the deadline
 * of the call, its end for the caller, or the loss of the sender.
 */
final class TensorFetcher implements AutoCloseable {
  private static final Duration DONE_TIMEOUT = Duration.ofSeconds(60);

  private final GridContext context;
  private final long limit;
  private final boolean byStreams;
  private final ReceiveBufferPool pool;
  private final AtomicLong arriving = new AtomicLong();
  private final ConcurrentMap<Long, SenderLinks> sources = new ConcurrentHashMap<>();

  private record SenderLinks(StreamPool streams, Semaphore window) {}

  TensorFetcher(GridContext context, long limit, boolean byStreams) {
    this.context = context;
    this.limit = limit;
    this.byStreams = byStreams;
    this.pool = new ReceiveBufferPool(limit / 2);
  }

  /**
   * Fetches a tensor. Blocks, without a permit to run functions.
   *
   * @param port the sender's port for streams; 0 for none
   * @param remaining nanoseconds until the call's end, MAX_VALUE for none; 0 or less ends the wait
   * @param isReply whether to tell the sender when the transfer has ended: it cannot see the end of
   *     the call
   */
  Storage fetch(
      Worker sender,
      TransferTicket ticket,
      int port,
      DType dtype,
      int length,
      LongSupplier remaining,
      boolean isReply) {
    long bytes = (long) length * dtype.bytes();
    reserve(bytes, sender);
    boolean done = false;
    ReceiveBuffer buffer = new ReceiveBuffer(dtype, length, pool);
    try {
      WaitBudget budget = new WaitBudget(sender, remaining);
      SenderLinks source =
          sources.computeIfAbsent(
              sender.id(),
              id ->
                  new SenderLinks(
                      new StreamPool(context.proofs()), new Semaphore(ChunkFetcher.WINDOW, true)));
      done =
          context.waiting(
              () -> {
                int fetched = 0;
                if (byStreams && port != 0) {
                  StreamPool.Address address = () -> StreamLinks.address(context, sender, port);
                  fetched = source.streams.read(address, ticket, buffer, isReply, budget);
                }
                if (fetched < length) {
                  new ChunkFetcher(context, ticket, buffer, budget, source.window).fetch(fetched);
                }
                return fetched == length;
              });
      return buffer.storage();
    } catch (OutOfMemoryError e) {
      throw new GridException(
          Status.REJECTED, "no memory for a tensor of " + bytes + " bytes: " + e.getMessage(), e);
    } finally {
      buffer.abandon();
      arriving.addAndGet(-bytes);
      if (isReply && !done) {
        tellDone(sender, ticket);
      }
    }
  }

  private void reserve(long bytes, Worker sender) {
    if (bytes > limit) {
      throw new GridException(
          Status.BAD_VALUE,
          ("a tensor of %s bytes from worker %s is more than this worker takes in "
                  + "chunks, incomingBytes=%s")
              .formatted(bytes, sender.name(), limit));
    }
    long sum = arriving.addAndGet(bytes);
    if (sum > limit) {
      arriving.addAndGet(-bytes);
      throw new GridException(
          Status.REJECTED,
          ("a tensor of %s bytes from worker %s must wait: %s bytes are arriving, "
                  + "of at most incomingBytes=%s")
              .formatted(bytes, sender.name(), sum - bytes, limit));
    }
  }

  private void tellDone(Worker sender, TransferTicket ticket) {
    // If the call fails, the sender forgets the transfer after two minutes.
    var unused =
        context.tryCall(sender, PendingTransfers.DONE, List.of(ticket.number()), DONE_TIMEOUT);
  }

  void lost(long worker) {
    SenderLinks source = sources.remove(worker);
    if (source != null) {
      source.streams.close();
    }
  }

  void sweep() {
    sources.values().forEach(source -> source.streams.sweep());
    pool.sweep();
  }

  @Override
  public void close() {
    sources.values().forEach(source -> source.streams.close());
  }

  long bufferBytes() {
    return pool.lentBytes();
  }

  long arrivingBytes() {
    return arriving.get();
  }
}
