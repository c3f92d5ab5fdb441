package io.hazelgrad.grid.internal.plane.stream;

import com.hazelcast.cluster.Member;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.member.Directory;
import io.hazelgrad.grid.internal.plane.transfer.TransferTicket;
import io.hazelgrad.grid.spi.GridContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Connections that two workers use for themselves, such as neighbours in a collective's ring. They
 * go to the port for tensors, so a firewall has to let through no other one. Threads: safe.
 */
public final class StreamLinks {
  /** The service that has the links of a worker. */
  public interface Source {
    StreamLinks links();
  }

  private final GridContext context;
  private final @Nullable StreamServer server;

  /** Makes links over the port of a server; null if this worker has none. */
  public StreamLinks(GridContext context, @Nullable StreamServer server) {
    this.context = context;
    this.server = server;
  }

  /** Returns the port to which others connect, 0 if there is none. */
  public int port() {
    return server == null ? 0 : server.port();
  }

  /**
   * Expects a connection that begins with a ticket. The channel does not block. To give up, cancel
   * the future. Without a port, the future never completes.
   */
  public CompletableFuture<SocketChannel> expect(TransferTicket ticket) {
    return server == null ? new CompletableFuture<>() : server.expect(ticket);
  }

  /** Connects to a worker that expects the ticket. The channel does not block. */
  public SocketChannel connect(Worker to, int port, TransferTicket ticket, Duration timeout)
      throws IOException {
    SocketChannel channel = SocketChannel.open();
    try {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.socket().connect(address(context, to, port), (int) timeout.toMillis());
      ByteBuffer request = ByteBuffer.allocate(StreamRequest.BYTES);
      new StreamRequest(StreamRequest.Kind.LINK, ticket, 0, 0).write(request, context.proofs());
      request.flip();
      while (request.hasRemaining()) {
        channel.write(request);
      }
      channel.configureBlocking(false);
      return channel;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  /** Returns the address of a worker's port. */
  public static InetSocketAddress address(GridContext context, Worker worker, int port)
      throws UnknownHostException {
    Member member = Directory.memberOf(context.hazelcast(), worker);
    if (member == null) {
      throw new UnknownHostException("the member of worker " + worker.name() + " has left");
    }
    InetSocketAddress at = member.getSocketAddress();
    if (at.isUnresolved()) { // Without an address, the port would be one of this host.
      throw new UnknownHostException(at.getHostString());
    }
    return new InetSocketAddress(at.getAddress(), port);
  }
}
