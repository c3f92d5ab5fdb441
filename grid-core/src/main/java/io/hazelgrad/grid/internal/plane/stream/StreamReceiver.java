package io.hazelgrad.grid.internal.plane.stream;

import io.hazelgrad.grid.internal.plane.transfer.CacheLine;
import io.hazelgrad.grid.internal.plane.transfer.ReceiveBuffer;
import io.hazelgrad.grid.internal.plane.transfer.TransferTicket;
import io.hazelgrad.grid.internal.plane.transfer.WaitBudget;
import io.hazelgrad.grid.spi.Proofs;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.SocketTimeoutException;
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
 * The receiver's end of a stream of {@link StreamRequest}s. The thread that reads a message also
 * reads the tensor from the socket, so no other thread is woken. Threads: one at a time; any thread
 * may call {@link #close}, which ends a wait.
 */
final class StreamReceiver implements AutoCloseable {
  /** Both ends poll for this time before they sleep: waking a thread takes longer than a piece. */
  static final long SPIN_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

  /**
   * The longest silence of a sender that is to send. A network that drops packets without a word
   * would end the read only with the call.
   */
  private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(4);

  private static final int BUFFER = 512 << 10;

  private final SocketChannel channel;
  private final Selector selector;
  private final SelectionKey key;
  private final Proofs proofs;
  private final ByteBuffer buffer = CacheLine.allocate(BUFFER);
  private long idleSince = System.nanoTime();
  private long heard = System.nanoTime();
  private boolean silent;

  private StreamReceiver(Proofs proofs) throws IOException {
    this.proofs = proofs;
    this.channel = SocketChannel.open();
    try {
      this.selector = Selector.open();
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      this.key = channel.register(selector, SelectionKey.OP_CONNECT);
    } catch (IOException e) { // The process may have run out of file descriptors.
      channel.close();
      throw e;
    }
  }

  /** Connects to a sender; throws if the timeout or the wait budget ends before. */
  static StreamReceiver connect(
      InetSocketAddress sender, Duration timeout, WaitBudget budget, Proofs proofs)
      throws IOException {
    long start = System.nanoTime();
    StreamReceiver stream = new StreamReceiver(proofs);
    boolean connected = false;
    try {
      stream.channel.connect(sender);
      while (!stream.channel.finishConnect()) {
        if (System.nanoTime() - start > timeout.toNanos()) {
          throw new ConnectException("no answer from " + sender + " within " + timeout);
        }
        stream.await(budget);
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
   * Reads elements of a tensor from index {@code from} on. The stream has to be closed after a
   * failure, which is the end of the wait budget, or an incomplete tensor.
   *
   * @return the number of elements that have arrived, those before {@code from} included
   */
  int read(TransferTicket ticket, int from, ReceiveBuffer target, WaitBudget budget) {
    int elementBytes = target.elementBytes();
    int length = target.length();
    int arrived = from;
    heard = System.nanoTime();
    try {
      send(new StreamRequest(StreamRequest.Kind.FETCH, ticket, from, length - from));
      fill(CacheLine.BYTES, budget);
      long announced = buffer.order(ByteOrder.LITTLE_ENDIAN).getLong(0);
      if (announced == StreamRequest.REFUSED) {
        throw new ProtocolException(ticket + " was refused: the sender has another secret");
      }
      if (announced != (long) (length - from) * elementBytes) {
        throw new ProtocolException(
            ticket + " has " + announced + " bytes, not the requested number");
      }
      target.open(); // Now that the sender has confirmed the size.
      buffer.clear();
      ByteBuffer memory = target.target(from);
      int begin = 0; // The first unread byte of the buffer.
      while (arrived < length) {
        if (memory != null) {
          receive(memory, budget);
          arrived = from + memory.position() / elementBytes;
        } else {
          receive(buffer, budget);
          int count = Math.min((buffer.position() - begin) / elementBytes, length - arrived);
          target.put(arrived, buffer.slice(begin, count * elementBytes));
          arrived += count;
          begin += count * elementBytes;
          if (begin == buffer.position()) { // Back to the start, which is still in the cache.
            begin %= CacheLine.BYTES;
            buffer.position(begin);
          }
        }
      }
      int padding = CacheLine.padding(announced) - (buffer.position() - begin);
      if (padding < 0) {
        throw new ProtocolException(ticket + " came with " + -padding + " bytes too many");
      }
      fill(padding, budget);
      idleSince = System.nanoTime();
    } catch (IOException | ClosedSelectorException e) {
      return arrived; // The missing elements are fetched in chunks.
    }
    return arrived;
  }

  /** Tells the sender that all have arrived. After false the stream has to be closed. */
  boolean done(TransferTicket ticket) {
    try {
      send(new StreamRequest(StreamRequest.Kind.DONE, ticket, 0, 0));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private void send(StreamRequest request) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(StreamRequest.BYTES);
    request.write(bytes, proofs);
    if (channel.write(bytes.flip()) < StreamRequest.BYTES) {
      throw new IOException("the sender does not read requests"); // The sender has stopped reading.
    }
  }

  private void fill(int bytes, WaitBudget budget) throws IOException {
    buffer.clear().limit(bytes);
    while (buffer.hasRemaining()) {
      receive(buffer, budget);
    }
  }

  /** Reads the available bytes; waits a moment if there are none. */
  @SuppressWarnings("ThreadPriorityCheck") // It yields for speed only, and sleeps soon.
  private void receive(ByteBuffer into, WaitBudget budget) throws IOException {
    int read = channel.read(into);
    if (read == 0) {
      long start = System.nanoTime();
      do {
        Thread.yield();
        read = channel.read(into);
      } while (read == 0 && System.nanoTime() - start < SPIN_NANOS);
      if (read == 0) {
        await(budget);
        silent = System.nanoTime() - heard > SILENCE_NANOS;
        if (silent) {
          throw new SocketTimeoutException("nothing came for 4 s");
        }
      }
    }
    if (read < 0) {
      throw new EOFException();
    }
    if (read > 0) {
      heard = System.nanoTime();
    }
  }

  /** Returns whether the last read ended because nothing came any more. */
  boolean wasSilent() {
    return silent;
  }

  private void await(WaitBudget budget) throws IOException {
    budget.check();
    selector.select(ready -> {}, WaitBudget.CHECK_MILLIS);
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
