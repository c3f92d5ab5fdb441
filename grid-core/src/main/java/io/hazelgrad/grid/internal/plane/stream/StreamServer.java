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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the elements of tensors to receivers that connect to a port of its own, beside Hazelcast's:
 * there is nothing to wrap and unwrap, and nothing else waits behind them.
 *
 * <p>One thread serves all. It never waits for one receiver: each gets a piece when its socket has
 * room. Who connects gets nothing without a secret that stood in a message ({@link
 * TransferTicket}). Connections that ask for nothing are closed after a minute, those above {@value
 * #MOST} at once.
 *
 * <p>Threads: {@link #port} and {@link #close} by any; all else is of the serving thread.
 */
public final class StreamServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StreamServer.class);
  static final int MOST = 1024;
  private static final long LOOK_MILLIS = 1000;
  private static final Duration IDLE = Duration.ofSeconds(60);

  private final ServerSocketChannel door;
  private final Selector selector;
  private final PendingTransfers transfers;
  private final Duration idle;
  private final int port;
  private final TransferCounter counts = new TransferCounter();

  /** For pieces, not in use now; those of the system are not given back to it soon. */
  private final ArrayDeque<ByteBuffer> buffers = new ArrayDeque<>();

  private long lastWork = System.nanoTime();
  private long lastLook = System.nanoTime();
  private volatile boolean closed;

  private StreamServer(
      ServerSocketChannel door, Selector selector, PendingTransfers transfers, Duration idle)
      throws IOException {
    this.door = door;
    this.selector = selector;
    this.transfers = transfers;
    this.idle = idle;
    this.port = ((InetSocketAddress) door.getLocalAddress()).getPort();
  }

  /** Opens the port that the configuration asks for; returns null if there is none. */
  public static @Nullable StreamServer open(GridContext context, PendingTransfers transfers) {
    int port = context.config().plane().port();
    if (port == PlaneConfig.NO_PORT || context.isClient()) {
      return null;
    }
    if (isEncrypted(context.hazelcast().getConfig())) {
      LOG.info(
          "no port for large tensors: this member encrypts its connections, and that port would"
              + " not; they travel in messages, which is slower");
      return null;
    }
    InetSocketAddress here = context.hazelcast().getCluster().getLocalMember().getSocketAddress();
    try {
      return open(here.getAddress(), port, transfers, IDLE, context.background());
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

  static StreamServer open(
      @Nullable InetAddress host,
      int port,
      PendingTransfers transfers,
      Duration idle,
      Executor executor)
      throws IOException {
    if (host == null) {
      throw new UnknownHostException("the address of this member");
    }
    ServerSocketChannel door = ServerSocketChannel.open();
    try {
      door.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      door.bind(new InetSocketAddress(host, port));
      door.configureBlocking(false);
      Selector selector = Selector.open();
      door.register(selector, SelectionKey.OP_ACCEPT);
      StreamServer server = new StreamServer(door, selector, transfers, idle);
      executor.execute(server::serve);
      return server;
    } catch (IOException | RuntimeException e) {
      door.close();
      throw e;
    }
  }

  public int port() {
    return port;
  }

  /** Ends all connections, soon. */
  @Override
  public void close() {
    closed = true;
    selector.wakeup();
  }

  private void serve() {
    try (door;
        selector) {
      while (!closed) {
        select();
        look();
      }
      sendings().forEach(this::end);
    } catch (IOException | RuntimeException e) {
      LOG.error("tensors cannot be fetched from port {} any more, but in messages", port, e);
    }
  }

  /** Does what can be done now; waits if that is nothing, at first without sleeping. */
  @SuppressWarnings("ThreadPriorityCheck") // Yields for speed only; it sleeps soon.
  private void select() throws IOException {
    int done = selector.selectNow(this::turn);
    if (done == 0 && System.nanoTime() - lastWork < StreamReceiver.SPIN_NANOS) {
      Thread.yield();
      return;
    }
    if (done == 0) {
      done = selector.select(this::turn, LOOK_MILLIS);
    }
    if (done > 0) {
      lastWork = System.nanoTime();
    }
  }

  private void turn(SelectionKey key) {
    if (!(key.attachment() instanceof StreamSender sending)) {
      accept(key);
      return;
    }
    try {
      key.interestOps(sending.turn() ? SelectionKey.OP_WRITE : SelectionKey.OP_READ);
    } catch (IOException e) { // The receiver has gone, or says nonsense.
      LOG.debug("a stream ends", e);
      end(sending);
    } catch (RuntimeException | OutOfMemoryError e) { // The others shall not suffer from it.
      LOG.warn("a stream for tensors ends; its receiver fetches the rest in messages", e);
      end(sending);
    }
  }

  private void accept(SelectionKey doorKey) {
    try {
      SocketChannel channel = door.accept();
      if (channel != null) {
        if (selector.keys().size() > MOST) {
          channel.close();
          return;
        }
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.register(selector, SelectionKey.OP_READ, new StreamSender(channel, this));
      }
    } catch (IOException e) {
      LOG.warn("a stream for tensors could not be accepted at port {}", port, e);
      doorKey.interestOps(0); // Until the next look, or it would fail again and again.
    }
  }

  private void look() {
    long now = System.nanoTime();
    if (now - lastLook < TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS)) {
      return;
    }
    lastLook = now;
    door.keyFor(selector).interestOps(SelectionKey.OP_ACCEPT);
    for (StreamSender sending : sendings()) {
      if (sending.isOver(idle.toNanos())) {
        end(sending);
      }
    }
  }

  private List<StreamSender> sendings() {
    List<StreamSender> found = new ArrayList<>();
    for (SelectionKey key : selector.keys()) {
      if (key.attachment() instanceof StreamSender sending) {
        found.add(sending);
      }
    }
    return found;
  }

  private void end(StreamSender sending) {
    try {
      sending.close();
    } catch (IOException e) {
      LOG.debug("a stream could not be closed", e);
    }
  }

  PendingTransfers transfers() {
    return transfers;
  }

  ByteBuffer buffer() {
    ByteBuffer free = buffers.poll();
    return free == null ? CacheLine.allocate(StreamSender.PIECE) : free.clear();
  }

  /** A receiver gets what it asked for. */
  void sent(PendingTransfer transfer, int elements) {
    counts.add((long) elements * transfer.elements().dtype().bytes());
  }

  /** Returns what was sent. Any thread. */
  public PlaneFigures.Traffic sent() {
    return counts.read();
  }

  void free(ByteBuffer buffer) {
    buffers.push(buffer);
  }
}
