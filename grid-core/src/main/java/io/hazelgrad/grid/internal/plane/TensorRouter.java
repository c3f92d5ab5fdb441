package io.hazelgrad.grid.internal.plane;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.PlaneConfig;
import io.hazelgrad.grid.Storage;
import io.hazelgrad.grid.TensorBytes;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.plane.segment.GarbageCollectionTrigger;
import io.hazelgrad.grid.internal.plane.segment.MappedSegments;
import io.hazelgrad.grid.internal.plane.segment.SegmentDirectory;
import io.hazelgrad.grid.internal.plane.segment.SegmentFile;
import io.hazelgrad.grid.internal.plane.segment.SegmentPeers;
import io.hazelgrad.grid.internal.plane.segment.SegmentPool;
import io.hazelgrad.grid.internal.plane.stream.StreamLinks;
import io.hazelgrad.grid.internal.plane.stream.StreamServer;
import io.hazelgrad.grid.internal.plane.transfer.ParallelCopier;
import io.hazelgrad.grid.internal.plane.transfer.PendingTransfers;
import io.hazelgrad.grid.internal.plane.transfer.TransferCounter;
import io.hazelgrad.grid.internal.plane.transfer.TransferTicket;
import io.hazelgrad.grid.plane.PlaneFigures;
import io.hazelgrad.grid.plane.TensorPlane;
import io.hazelgrad.grid.spi.CallInterceptor;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Handler;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.MessageKind;
import io.hazelgrad.grid.spi.Outgoing;
import io.hazelgrad.grid.spi.TensorSink;
import io.hazelgrad.grid.spi.TensorSource;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses for each tensor of a message how its elements travel.
 *
 * <ol>
 *   <li>Up to {@link PlaneConfig#inlineBytes()} they stand in the message.
 *   <li>In a call of a worker to itself they are handed over without a copy.
 *   <li>If the receiver sees the same shared memory they are copied into it once, and the receiver
 *       uses them there. If the memory is full, the next route is taken at once.
 *   <li>The receiver fetches them by a stream, from a port of the sender.
 *   <li>If there is no such port or it cannot be reached, up to 1 MiB for all tensors of a message
 *       together stand in the message. The receiver fetches more than that by calls, in chunks.
 *   <li>If the receiver cannot call the sender, as a worker cannot call a client, they stand in the
 *       message.
 * </ol>
 *
 * <p>Threads: safe.
 */
final class TensorRouter implements TensorPlane, StreamLinks.Source {
  private static final Logger LOG = LoggerFactory.getLogger(TensorRouter.class);
  private static final String COLLECT = "plane.collect";
  private static final Duration COLLECT_TIMEOUT = Duration.ofSeconds(5);
  private static final long COLLECT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final MessageKind CHUNKS = MessageKind.service(PendingTransfers.FETCH);

  private static final int SHARED = 1;
  private static final int CHUNKED = 2;

  private static final long MAX_AUTOMATIC = 4L << 30;
  private static final int AUTOMATIC_SHARE = 4;

  private final GridContext context;
  private final Worker self;
  private final PlaneConfig config;
  private final SegmentPeers peers;
  private final PendingTransfers transfers = new PendingTransfers();
  private final TensorFetcher fetcher;
  private final @Nullable StreamServer server;
  private final StreamLinks links;
  private final GarbageCollectionTrigger collector;
  private final ParallelCopier copier;
  private final @Nullable SharedMemory memory;
  private final TransferCounter inline = new TransferCounter();
  private final TransferCounter shared = new TransferCounter();
  private final TransferCounter chunked = new TransferCounter();
  private final TransferCounter local = new TransferCounter();
  private final TransferCounter received = new TransferCounter();
  private final LongAdder fallbacks = new LongAdder();

  /** Receivers that fetch by calls although this worker has a port. Cleared at each sweep. */
  private final Set<Long> withoutStreams = ConcurrentHashMap.newKeySet();

  private final AtomicLong lastRequest = new AtomicLong(System.nanoTime() - COLLECT_NANOS);

  /** The files of this worker, the slots that it lends, and the segments of others. */
  private record SharedMemory(
      SegmentDirectory directory, SegmentPool pool, MappedSegments mapped) {}

  TensorRouter(GridContext context) {
    this.context = context;
    this.self = context.self();
    this.config = context.config().plane();
    this.collector = new GarbageCollectionTrigger(context.background());
    this.memory = openMemory();
    this.peers = new SegmentPeers(context, memory == null ? null : memory.directory);
    this.fetcher =
        new TensorFetcher(context, config.incomingBytes(), config.port() != PlaneConfig.NO_PORT);
    this.server = StreamServer.open(context, transfers);
    this.links = new StreamLinks(context, server);
    this.copier =
        new ParallelCopier(context.background(), Runtime.getRuntime().availableProcessors());
    register();
  }

  private @Nullable SharedMemory openMemory() {
    long limit = config.sharedBytes();
    if (limit == 0) {
      return null;
    }
    SegmentDirectory directory = null;
    try {
      directory = SegmentDirectory.open(config.directory(), self.id());
      directory.removeDeadOwners();
      if (limit == PlaneConfig.AUTOMATIC) {
        limit = Math.min(MAX_AUTOMATIC, directory.freeBytes() / AUTOMATIC_SHARE);
      }
      SegmentPool pool = new SegmentPool(directory, limit, System::nanoTime);
      return new SharedMemory(directory, pool, new MappedSegments(directory, collector::hold));
    } catch (IOException e) {
      LOG.warn(
          "no shared memory in {}: large tensors travel by streams or in messages: {}",
          config.directory(),
          e.toString());
      if (directory != null) {
        directory.close();
      }
      return null;
    }
  }

  private void register() {
    context.interceptor(new Messages());
    context.handler(
        SegmentPeers.HELLO,
        Handler.Lane.CONTROL,
        (arguments, request) -> {
          byte[] secret = peers.answer(arguments);
          if (secret.length > 0 && memory != null && arguments.get(0) instanceof String owner) {
            memory.mapped.introduce(request.call().caller().id(), owner);
          }
          return secret;
        });
    context.handler(
        PendingTransfers.FETCH,
        Handler.Lane.CONTROL,
        (arguments, request) -> {
          Worker caller = request.call().caller();
          withoutStreams.add(caller.id());
          return transfers.fetch(arguments, caller);
        });
    context.handler(
        PendingTransfers.DONE,
        Handler.Lane.CONTROL,
        (arguments, request) -> {
          transfers.done(arguments, request.call().caller());
          return null;
        });
    context.handler(
        COLLECT,
        Handler.Lane.CONTROL,
        (arguments, request) -> {
          collector.collect();
          return null;
        });
    context.onLost(worker -> lost(worker.id()));
    context.onClientGone(client -> lost(client.id()));
    context.every(context.reconcileEvery(), this::sweep);
    context.onClose(
        () -> {
          fetcher.close();
          if (server != null) {
            server.close();
          }
          if (memory != null) {
            memory.pool.close();
            memory.directory.close();
            // This may be the last process of the host, so it also removes the files of dead ones.
            memory.directory.removeDeadOwners();
          }
        });
  }

  private void lost(long worker) {
    peers.lost(worker);
    transfers.lost(worker);
    fetcher.lost(worker);
    withoutStreams.remove(worker);
    if (memory != null) {
      memory.pool.lost(worker);
      memory.mapped.lost(worker);
    }
  }

  private void sweep() {
    transfers.sweep();
    fetcher.sweep();
    withoutStreams.clear();
    if (memory != null) {
      memory.pool.sweep();
      memory.mapped.sweep();
      memory.directory.removeDeadOwners();
    }
  }

  /** Sends elements beside a message; returns false if they have to stand in it. */
  boolean put(Storage elements, OutgoingTensors message, WireOutput out) {
    long bytes = (long) elements.length() * elements.dtype().bytes();
    if (bytes <= config.inlineBytes()) {
      inline.add(bytes);
      return false;
    }
    Worker to = message.message.receiver();
    if (to.id() == self.id()) { // It may release lent memory while the receiver still uses it.
      offer(elements.isLent() ? TensorBytes.onHeap(elements) : elements, message, out);
      local.add(bytes);
      return true;
    }
    SegmentPeers.Reach reach = peers.reach(to);
    if (reach == SegmentPeers.Reach.SHARED && share(elements, bytes, message, out)) {
      shared.add(bytes);
      return true;
    }
    if (reach == SegmentPeers.Reach.MESSAGES || message.fitsInline(bytes, mostInline(to))) {
      inline.add(bytes);
      return false;
    }
    offer(TensorBytes.retained(elements), message, out);
    chunked.add(bytes);
    return true;
  }

  /** Returns the most bytes in one message. Streams are faster than messages, chunks are not. */
  private int mostInline(Worker to) {
    return server == null || withoutStreams.contains(to.id()) ? PlaneConfig.MOST_INLINE : 0;
  }

  private boolean share(Storage elements, long bytes, OutgoingTensors message, WireOutput out) {
    if (memory == null || bytes > SegmentFile.MOST_BYTES) {
      return false;
    }
    Outgoing leaving = message.message;
    SegmentPool.Slot slot =
        memory.pool.take((int) bytes, leaving.receiver().id(), leaving.isRequest());
    if (slot == null) {
      fallbacks.increment();
      requestCollection(leaving.receiver());
      return false;
    }
    message.add(slot);
    copier.copy(elements, slot.payload((int) bytes));
    slot.send();
    out.int8(SHARED).varint(slot.segment()).varint(slot.index()).varint(slot.generation());
    return true;
  }

  private void requestCollection(Worker receiver) {
    long now = System.nanoTime();
    long last = lastRequest.get();
    if (now - last < COLLECT_NANOS || !lastRequest.compareAndSet(last, now)) {
      return;
    }
    try {
      var unused = context.call(receiver, COLLECT, List.of(), COLLECT_TIMEOUT);
    } catch (GridException e) {
      LOG.debug("{} cannot be asked to collect", receiver, e);
    }
  }

  private void offer(Storage elements, OutgoingTensors message, WireOutput out) {
    TransferTicket ticket =
        transfers.offer(elements, message.message.receiver(), message.message.isRequest());
    message.add(ticket.number());
    ticket.write(out.int8(CHUNKED).varint(server == null ? 0 : server.port()));
  }

  Storage get(DType dtype, int length, Incoming message, LongSupplier remaining, WireInput in) {
    Worker sender = message.sender();
    int route = in.int8();
    Storage elements;
    if (route == SHARED && memory != null) {
      elements = memory.mapped.take(sender, dtype, length, in.varint(), in.varint(), in.varint());
    } else if (route == CHUNKED) {
      elements = fetch(dtype, length, message, remaining, in);
    } else {
      throw in.damaged("unknown route " + route + " of a tensor");
    }
    if (elements.dtype() != dtype || elements.length() != length) {
      throw in.damaged("the elements are not the announced " + length + " elements of " + dtype);
    }
    if (dtype == DType.BOOL) {
      in.checkBooleans((byte[]) elements.array());
    }
    received.add((long) length * dtype.bytes());
    return elements;
  }

  private Storage fetch(
      DType dtype, int length, Incoming message, LongSupplier remaining, WireInput in) {
    Worker sender = message.sender();
    long port = in.varint();
    TransferTicket ticket = TransferTicket.read(in);
    if (sender.id() == self.id()) {
      return transfers.own(ticket.number(), self);
    }
    if (port < 0 || port > 0xffff) {
      throw in.damaged("port " + port);
    }
    return fetcher.fetch(
        sender, ticket, (int) port, dtype, length, remaining, !message.isRequest());
  }

  @Override
  public StreamLinks links() {
    return links;
  }

  @Override
  public PlaneFigures figures() {
    return new PlaneFigures(
        inline.read(),
        shared.read(),
        chunked.read(),
        server == null ? new PlaneFigures.Traffic(0, 0) : server.sent(),
        local.read(),
        received.read(),
        fallbacks.sum(),
        memory == null ? 0 : memory.pool.usedBytes(),
        memory == null ? 0 : memory.pool.limit(),
        memory == null ? 0 : memory.pool.lentBytes(),
        collector.heldBytes(),
        transfers.size(),
        fetcher.arrivingBytes(),
        fetcher.bufferBytes());
  }

  private final class Messages implements CallInterceptor {
    @Override
    public void departing(Outgoing message) {
      // A chunk is an array that must stay in its own message.
      if (!message.call().kind().equals(CHUNKS)) {
        message.attach(TensorSink.class, new OutgoingTensors(TensorRouter.this, message));
      }
    }

    @Override
    public void arriving(Incoming message, @Nullable WireInput header) {
      message.attach(TensorSource.class, new IncomingTensors(TensorRouter.this, message));
    }

    @Override
    public void over(Outgoing message, @Nullable GridException failure) {
      if (message.attachment(TensorSink.class) instanceof OutgoingTensors sent) {
        sent.written();
        // A reply is over for its sender once it is written; the receiver has not read it yet.
        if (message.isRequest() || failure != null) {
          sent.end(transfers);
        }
      }
    }

    @Override
    public void dropped(Incoming message) {
      if (message.attachment(TensorSource.class) instanceof IncomingTensors arrival) {
        arrival.drop();
      }
    }

    @Override
    public String toString() {
      return "the tensor plane";
    }
  }
}
