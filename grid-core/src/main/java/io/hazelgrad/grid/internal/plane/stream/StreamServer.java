package io.hazelgrad.grid.internal.plane.stream;

import com.hazelcast.config.AdvancedNetworkConfig;
import com.hazelcast.config.Config;
import com.hazelcast.config.EndpointConfig;
import com.hazelcast.config.SSLConfig;
import com.hazelcast.instance.EndpointQualifier;
import io.hazelgrad.grid.PlaneConfig;
import io.hazelgrad.grid.internal.plane.transfer.CacheLine;
import io.hazelgrad.grid.internal.plane.transfer.PendingTransfer;
import io.hazelgrad.grid.internal.plane.transfer.PendingTransfers;
import io.hazelgrad.grid.internal.plane.transfer.TransferCounter;
import io.hazelgrad.grid.internal.plane.transfer.TransferTicket;
import io.hazelgrad.grid.plane.PlaneFigures;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Proofs;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the elements of tensors to receivers that connect to a port of its own, beside Hazelcast's.
 * Elements need no envelope there, and no other messages wait behind them.
 *
 * <p>One thread serves all receivers and never waits for one: each gets a piece when its socket has
 * room. A receiver has to know the secret of the {@link TransferTicket} that stood in the message.
 * A connection without requests is closed after 60 s, a connection above {@value #MAX_CONNECTIONS}
 * at once. Threads: {@link #port}, {@link #sent()}, {@link #expect} and {@link #close} by any, all
 * else by the serving one.
 */
public final class StreamServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StreamServer.class);
  static final int MAX_CONNECTIONS = 1024;
  private static final int MOST_KEPT = 32;
  private static final long CHECK_MILLIS = 1000;
  private static final Duration IDLE = Duration.ofSeconds(60);

  private final ServerSocketChannel acceptor;
  private final Selector selector;
  final PendingTransfers transfers;
  private final Duration idle;
  final Proofs proofs;
  private final int port;
  private final TransferCounter counts = new TransferCounter();

  /**
   * Buffers for pieces that are not in use, {@value #MOST_KEPT} at most. They are kept because
   * direct memory is freed late.
   */
  private final Deque<ByteBuffer> buffers = new ConcurrentLinkedDeque<>();

  /** The connections that this worker waits for, by the ticket that each begins with. */
  private final ConcurrentMap<TransferTicket, CompletableFuture<SocketChannel>> expected =
      new ConcurrentHashMap<>();

  private long lastWork = System.nanoTime();
  private long lastCheck = System.nanoTime();
  private volatile boolean closed;

  StreamServer(
      @Nullable InetAddress host,
      int port,
      PendingTransfers transfers,
      Duration idle,
      Executor executor,
      Proofs proofs)
      throws IOException {
    if (host == null) {
      throw new UnknownHostException("the address of this member");
    }
    this.transfers = transfers;
    this.idle = idle;
    this.proofs = proofs;
    this.acceptor = ServerSocketChannel.open();
    try {
      acceptor.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      acceptor.bind(new InetSocketAddress(host, port));
      acceptor.configureBlocking(false);
      this.selector = Selector.open();
      this.port = ((InetSocketAddress) acceptor.getLocalAddress()).getPort();
      acceptor.register(selector, SelectionKey.OP_ACCEPT);
      executor.execute(this::run);
    } catch (IOException | RuntimeException e) {
      acceptor.close();
      throw e;
    }
  }

  /** Opens the configured port; returns null if there is none. */
  public static @Nullable StreamServer open(GridContext context, PendingTransfers transfers) {
    int port = context.config().plane().port();
    if (port == PlaneConfig.NO_PORT || context.isClient()) {
      return null;
    }
    if (isEncrypted(context.hazelcast().getConfig())) {
      LOG.info(
          "no port for large tensors: this member encrypts its connections, which that port cannot;"
              + " large tensors travel in messages, which is slower");
      return null;
    }
    InetSocketAddress here = context.hazelcast().getCluster().getLocalMember().getSocketAddress();
    try {
      return new StreamServer(
          here.getAddress(), port, transfers, IDLE, context.background(), context.proofs());
    } catch (IOException e) {
      LOG.warn(
          "no port for large tensors (plane.port={} at {}), they travel in messages, which is"
              + " slower: {}",
          port,
          here.getAddress(),
          e.toString());
      return null;
    }
  }

  static boolean isEncrypted(Config config) {
    AdvancedNetworkConfig advanced = config.getAdvancedNetworkConfig();
    EndpointConfig members = advanced.getEndpointConfigs().get(EndpointQualifier.MEMBER);
    SSLConfig tls =
        !advanced.isEnabled()
            ? config.getNetworkConfig().getSSLConfig()
            : members == null ? null : members.getSSLConfig();
    return tls != null && tls.isEnabled();
  }

  public int port() {
    return port;
  }

  @Override
  public void close() {
    closed = true;
    selector.wakeup();
  }

  private void run() {
    try (acceptor;
        selector) {
      while (!closed) {
        select();
        closeIdle();
      }
      senders().forEach(this::end);
    } catch (IOException | RuntimeException e) {
      LOG.error(
          "port {} for large tensors has failed; they travel in messages from now on", port, e);
    }
  }

  /** Serves the sockets that are ready. If there are none it first polls, then sleeps. */
  @SuppressWarnings("ThreadPriorityCheck") // It yields for speed only, and sleeps soon.
  private void select() throws IOException {
    int done = selector.selectNow(this::serve);
    if (done == 0 && System.nanoTime() - lastWork < StreamReceiver.SPIN_NANOS) {
      Thread.yield();
      return;
    }
    if (done == 0) {
      done = selector.select(this::serve, CHECK_MILLIS);
    }
    if (done > 0) {
      lastWork = System.nanoTime();
    }
  }

  private void serve(SelectionKey key) {
    if (!(key.attachment() instanceof StreamSender sender)) {
      accept(key);
      return;
    }
    try {
      int next = sender.serve() ? SelectionKey.OP_WRITE : SelectionKey.OP_READ;
      if (key.isValid()) { // Not if the sender gave the connection away.
        key.interestOps(next);
      }
    } catch (IOException e) { // The receiver has gone, or its bytes are not a request.
      LOG.debug("a stream ends", e);
      end(sender);
    } catch (RuntimeException | OutOfMemoryError e) { // Other streams must go on.
      LOG.warn("a stream for tensors failed; its receiver fetches the rest in messages", e);
      end(sender);
    }
  }

  private void accept(SelectionKey acceptorKey) {
    try {
      SocketChannel channel = acceptor.accept();
      if (channel != null) {
        if (selector.keys().size() > MAX_CONNECTIONS) {
          channel.close();
          return;
        }
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.register(selector, SelectionKey.OP_READ, new StreamSender(channel, this));
      }
    } catch (IOException e) {
      LOG.warn("port {} could not accept a stream for tensors", port, e);
      acceptorKey.interestOps(0); // Until closeIdle; otherwise it would fail in a loop.
    }
  }

  private void closeIdle() {
    long now = System.nanoTime();
    if (now - lastCheck < TimeUnit.MILLISECONDS.toNanos(CHECK_MILLIS)) {
      return;
    }
    lastCheck = now;
    acceptor.keyFor(selector).interestOps(SelectionKey.OP_ACCEPT);
    senders().stream().filter(it -> it.isOver(idle.toNanos())).forEach(this::end);
  }

  private List<StreamSender> senders() {
    return selector.keys().stream()
        .map(SelectionKey::attachment)
        .filter(StreamSender.class::isInstance)
        .map(StreamSender.class::cast)
        .toList();
  }

  private void end(StreamSender sender) {
    try {
      sender.close();
    } catch (IOException e) {
      LOG.debug("a stream could not be closed", e);
    }
  }

  /** Gives a connection to the caller of {@link #expect}; returns false if there is none. */
  boolean giveAway(SocketChannel channel, TransferTicket ticket) {
    channel.keyFor(selector).cancel();
    CompletableFuture<SocketChannel> owner = expected.remove(ticket);
    return owner != null && owner.complete(channel);
  }

  /** Expects a connection that begins with a ticket. To give up, cancel the future. */
  CompletableFuture<SocketChannel> expect(TransferTicket ticket) {
    CompletableFuture<SocketChannel> owner = new CompletableFuture<>();
    expected.put(ticket, owner);
    var unused = owner.whenComplete((channel, failure) -> expected.remove(ticket, owner));
    return owner;
  }

  ByteBuffer buffer() {
    ByteBuffer free = buffers.poll();
    return free == null ? CacheLine.allocate(StreamSender.PIECE) : free.clear();
  }

  void sent(PendingTransfer transfer, int elements) {
    counts.add((long) elements * transfer.elements().dtype().bytes());
  }

  public PlaneFigures.Traffic sent() {
    return counts.read();
  }

  int keptBuffers() {
    return buffers.size();
  }

  void free(ByteBuffer buffer) {
    if (buffer.isDirect() && buffers.size() < MOST_KEPT) {
      buffers.push(buffer);
    }
  }
}
