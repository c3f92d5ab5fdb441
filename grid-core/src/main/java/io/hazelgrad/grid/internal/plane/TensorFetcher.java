package io.hazelgrad.grid.internal.plane;

import com.hazelcast.cluster.Member;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Storage;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.plane.stream.StreamPool;
import io.hazelgrad.grid.internal.plane.transfer.PendingTransfers;
import io.hazelgrad.grid.internal.plane.transfer.ReceiveBuffer;
import io.hazelgrad.grid.internal.plane.transfer.ReceiveBufferPool;
import io.hazelgrad.grid.internal.plane.transfer.TransferTicket;
import io.hazelgrad.grid.internal.plane.transfer.WaitBudget;
import io.hazelgrad.grid.spi.GridContext;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Fetches the elements of tensors that are too large for a message: by a stream if the sender has a
 * port for that and it can be reached, or else by calls, in chunks. The receiver sets the pace, and
 * all that is arriving from anywhere stays below a limit, beyond which it is refused.
 *
 * <p>The thread that reads the message waits. The wait ends with the call: at its deadline, when it
 * is over for the caller, or when the sender is lost.
 */
public final class TensorFetcher implements AutoCloseable {
  private static final Duration DONE_TIMEOUT = Duration.ofSeconds(60);

  private final GridContext context;
  private final long limit;
  private final boolean byStreams;
  private final ReceiveBufferPool pool;
  private final AtomicLong arriving = new AtomicLong();
  private final ConcurrentMap<Long, Source> sources = new ConcurrentHashMap<>();

  /** A sender. */
  private record Source(StreamPool streams, Semaphore window) {}

  /**
   * Makes one.
   *
   * @param limit of the bytes that are arriving
   * @param byStreams whether to connect to senders, too
   */
  public TensorFetcher(GridContext context, long limit, boolean byStreams) {
    this.context = context;
    this.limit = limit;
    this.byStreams = byStreams;
    this.pool = new ReceiveBufferPool(limit / 2);
  }

  /**
   * Fetches a tensor; blocks, without a permit of the gate.
   *
   * @param port of the sender, for streams; 0 for none
   * @param remaining nanoseconds until the call's end, MAX_VALUE for none; 0 or less ends the wait
   * @param isReply whether the sender is to be told at the end, since it learns of no end of the
   *     call
   */
  public Storage fetch(
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
    ReceiveBuffer landing = new ReceiveBuffer(dtype, length, pool);
    try {
      WaitBudget patience = new WaitBudget(sender, remaining);
      Source source =
          sources.computeIfAbsent(
              sender.id(),
              id -> new Source(new StreamPool(), new Semaphore(ChunkFetcher.WINDOW, true)));
      boolean byStream = byStreams && port != 0;
      done =
          context.waiting(
              () -> {
                int there =
                    byStream
                        ? source.streams.read(
                            () -> address(sender, port), ticket, landing, isReply, patience)
                        : 0;
                if (there < length) {
                  new ChunkFetcher(context, ticket, landing, patience, source.window).fetch(there);
                }
                return there == length;
              });
      return landing.storage();
    } catch (OutOfMemoryError e) {
      throw new GridException(
          Status.REJECTED, "no memory for a tensor of " + bytes + " bytes: " + e.getMessage(), e);
    } finally {
      landing.abandon();
      arriving.addAndGet(-bytes);
      if (isReply && !done) {
        tellDone(sender, ticket);
      }
    }
  }

  private InetSocketAddress address(Worker sender, int port) throws UnknownHostException {
    for (Member member : context.hazelcast().getCluster().getMembers()) {
      if (member.getUuid().equals(sender.incarnation())) {
        InetSocketAddress at = member.getSocketAddress();
        if (at.isUnresolved()) { // Without an address, the port would be one of this host.
          throw new UnknownHostException(at.getHostString());
        }
        return new InetSocketAddress(at.getAddress(), port);
      }
    }
    throw new UnknownHostException("the member of worker " + sender.name() + " has left");
  }

  private void reserve(long bytes, Worker sender) {
    if (bytes > limit) {
      throw new GridException(
          Status.BAD_VALUE,
          "a tensor of "
              + bytes
              + " bytes from worker "
              + sender.name()
              + " is more than this worker takes in chunks, incomingBytes="
              + limit);
    }
    long sum = arriving.addAndGet(bytes);
    if (sum > limit) {
      arriving.addAndGet(-bytes);
      throw new GridException(
          Status.REJECTED,
          "a tensor of "
              + bytes
              + " bytes from worker "
              + sender.name()
              + " must wait: "
              + (sum - bytes)
              + " bytes are arriving, of at most incomingBytes="
              + limit);
    }
  }

  private void tellDone(Worker sender, TransferTicket ticket) {
    try {
      var unused =
          context.call(sender, PendingTransfers.DONE, List.of(ticket.number()), DONE_TIMEOUT);
    } catch (RuntimeException e) {
      // It has left, or we are leaving; it forgets the transfer by itself.
    }
  }

  public void lost(long worker) {
    Source source = sources.remove(worker);
    if (source != null) {
      source.streams.close();
    }
  }

  public void sweep() {
    sources.values().forEach(source -> source.streams.sweep());
    pool.sweep();
  }

  /** Ends all streams. */
  @Override
  public void close() {
    sources.values().forEach(source -> source.streams.close());
  }

  /** Returns the bytes outside the heap that tensors lie in. */
  public long landedBytes() {
    return pool.lentBytes();
  }

  /** Returns the bytes of tensors that are arriving. */
  public long arrivingBytes() {
    return arriving.get();
  }
}
