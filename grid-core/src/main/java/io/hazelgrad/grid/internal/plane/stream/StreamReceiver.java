package io.hazelgrad.grid.internal.plane.stream;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.internal.plane.transfer.CacheLine;
import io.hazelgrad.grid.internal.plane.transfer.ReceiveBuffer;
import io.hazelgrad.grid.internal.plane.transfer.TransferTicket;
import io.hazelgrad.grid.internal.plane.transfer.WaitBudget;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The receiver's end of a stream, see {@link StreamRequest}. The thread that reads a message reads
 * the tensor from the socket, too: no other thread is woken.
 *
 * <p>Threads: one at a time; {@link #close} by any, which ends what waits.
 */
final class StreamReceiver implements AutoCloseable {
  /** How long either end looks for more before it sleeps: to be woken takes longer than a piece. */
  static final long SPIN_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

  private static final int BUFFER = 512 << 10;

  private final SocketChannel channel;
  private final Selector selector;
  private final SelectionKey key;
  private final ByteBuffer buffer = CacheLine.allocate(BUFFER);
  private long idleSince = System.nanoTime();

  private StreamReceiver() throws IOException {
    this.channel = SocketChannel.open();
    try {
      this.selector = Selector.open();
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      this.key = channel.register(selector, SelectionKey.OP_CONNECT);
    } catch (IOException e) { // Descriptors may have run out.
      channel.close();
      throw e;
    }
  }

  /**
   * Connects to a sender.
   *
   * @throws IOException if nobody is there, or does not answer in this time
   * @throws GridException if the patience ends before
   */
  static StreamReceiver connect(InetSocketAddress sender, Duration timeout, WaitBudget patience)
      throws IOException {
    long start = System.nanoTime();
    StreamReceiver stream = new StreamReceiver();
    boolean connected = false;
    try {
      stream.channel.connect(sender);
      while (!stream.channel.finishConnect()) {
        if (System.nanoTime() - start > timeout.toNanos()) {
          throw new ConnectException("no answer from " + sender + " within " + timeout);
        }
        stream.await(patience);
      }
      stream.key.interestOps(SelectionKey.OP_READ);
      connected = true;
      return stream;
    } finally {
      if (!connected) {
        stream.close();
      }
    }
  }

  /**
   * Reads elements of a tensor.
   *
   * @param from the first; those before are there
   * @return how many are there then: fewer than all if the stream broke, and is to be closed
   * @throws GridException if the patience ends; the stream is to be closed
   */
  int read(TransferTicket ticket, int from, ReceiveBuffer landing, WaitBudget patience) {
    int each = landing.each();
    int length = landing.length();
    int there = from;
    try {
      say(new StreamRequest(StreamRequest.Kind.FETCH, ticket, from, length - from));
      landing.open();
      fill(CacheLine.BYTES, patience);
      long coming = buffer.order(ByteOrder.LITTLE_ENDIAN).getLong(0);
      if (coming != (long) (length - from) * each) {
        throw new ProtocolException(ticket + " has " + coming + " bytes more to come");
      }
      buffer.clear();
      ByteBuffer target = landing.target(from);
      int begin = 0; // Of what is in the buffer.
      while (there < length) {
        if (target != null) {
          receive(target, patience);
          there = from + target.position() / each;
        } else {
          receive(buffer, patience);
          int count = Math.min((buffer.position() - begin) / each, length - there);
          landing.put(there, buffer.slice(begin, count * each));
          there += count;
          begin += count * each;
          if (begin == buffer.position()) { // To the front, which the cache has still.
            begin %= CacheLine.BYTES;
            buffer.position(begin);
          }
        }
      }
      int padding = CacheLine.padding(coming) - (buffer.position() - begin);
      if (padding < 0) {
        throw new ProtocolException(ticket + " came with " + -padding + " bytes too many");
      }
      fill(padding, patience);
      idleSince = System.nanoTime();
    } catch (IOException | ClosedSelectorException e) {
      return there; // What is missing comes by another way.
    }
    return there;
  }

  /**
   * Tells the sender that all is there. If that fails the sender keeps the tensor for two minutes,
   * and the stream is to be closed.
   */
  boolean done(TransferTicket ticket) {
    try {
      say(new StreamRequest(StreamRequest.Kind.DONE, ticket, 0, 0));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private void say(StreamRequest request) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(StreamRequest.BYTES);
    request.write(bytes);
    if (channel.write(bytes.flip()) < StreamRequest.BYTES) {
      throw new IOException("no room for a request"); // So much stands there that nobody reads.
    }
  }

  /** Reads so many bytes into the buffer, from its begin on. */
  private void fill(int bytes, WaitBudget patience) throws IOException {
    buffer.clear().limit(bytes);
    while (buffer.hasRemaining()) {
      receive(buffer, patience);
    }
  }

  /** Reads what is there; waits a moment if there is nothing. */
  @SuppressWarnings("ThreadPriorityCheck") // Yields for speed only; it sleeps soon.
  private void receive(ByteBuffer into, WaitBudget patience) throws IOException {
    int read = channel.read(into);
    if (read == 0) {
      long start = System.nanoTime();
      do {
        Thread.yield();
        read = channel.read(into);
      } while (read == 0 && System.nanoTime() - start < SPIN_NANOS);
      if (read == 0) {
        await(patience);
      }
    }
    if (read < 0) {
      throw new EOFException();
    }
  }

  private void await(WaitBudget patience) throws IOException {
    patience.check();
    selector.select(ready -> {}, WaitBudget.LOOK_MILLIS);
    if (!channel.isOpen()) {
      throw new ClosedChannelException();
    }
  }

  long idleNanos() {
    return System.nanoTime() - idleSince;
  }

  @Override
  public void close() {
    try (selector) {
      channel.close();
    } catch (IOException e) {
      // Nothing more can be done; both descriptors are given up.
    }
  }
}
