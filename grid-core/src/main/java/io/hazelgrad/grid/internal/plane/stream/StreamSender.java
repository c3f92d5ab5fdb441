package io.hazelgrad.grid.internal.plane.stream;

import io.hazelgrad.grid.internal.plane.transfer.CacheLine;
import io.hazelgrad.grid.internal.plane.transfer.PendingTransfer;
import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * The sender's end of a stream: takes a request, sends what that asks for, takes the next. While it
 * sends it holds a buffer for a piece of the elements, which are copied into it, little-endian, and
 * from there into the socket: it is small enough to stay in the processor's cache.
 */
final class StreamSender {
  static final int PIECE = 512 << 10;

  /** How much one receiver gets before it is another's turn. */
  private static final int TURN = 1 << 20;

  private final SocketChannel channel;
  private final StreamServer server;
  private final ByteBuffer request = ByteBuffer.allocate(StreamRequest.BYTES);
  private @Nullable PendingTransfer transfer;

  /** What is to be written, and was not yet; only while something is sent, as the next three. */
  private @Nullable ByteBuffer piece;

  private int begin;
  private int next;
  private int end;
  private long lastNanos = System.nanoTime();

  StreamSender(SocketChannel channel, StreamServer server) {
    this.channel = channel;
    this.server = server;
  }

  /**
   * Reads and writes what is possible now.
   *
   * @return whether it goes on when the socket can be written to; otherwise, when it can be read
   * @throws IOException the stream is to be closed
   */
  boolean turn() throws IOException {
    lastNanos = System.nanoTime();
    for (int sent = 0; sent < TURN; sent += StreamRequest.BYTES) {
      if (piece == null && !takeRequest()) {
        return false;
      }
      if (piece != null) {
        int written = channel.write(piece);
        if (written == 0) {
          return true;
        }
        sent += written;
        refill(piece);
      }
    }
    return piece != null;
  }

  /** Reads on; false if there is nothing more to read now. */
  private boolean takeRequest() throws IOException {
    if (channel.read(request) < 0) {
      throw new EOFException();
    }
    if (request.hasRemaining()) {
      return false;
    }
    StreamRequest asked = StreamRequest.read(request.flip());
    request.clear();
    if (asked == null) {
      throw new ProtocolException("no request for a tensor");
    }
    PendingTransfer found = server.transfers().find(asked.ticket());
    if (asked.kind() == StreamRequest.Kind.FETCH) {
      begin(asked, found);
    } else if (found != null) {
      server.transfers().done(found);
    }
    return true;
  }

  private void begin(StreamRequest asked, @Nullable PendingTransfer found) throws IOException {
    ByteBuffer first = server.buffer().order(ByteOrder.LITTLE_ENDIAN);
    piece = first;
    if (found == null || !asked.isWithin(found.elements().length())) {
      CacheLine.pad(first.putLong(StreamRequest.GONE));
      first.flip();
      next = end;
      return;
    }
    transfer = found;
    begin = asked.from();
    next = begin;
    end = next + asked.count();
    CacheLine.pad(first.putLong((long) asked.count() * found.elements().dtype().bytes()));
    fill(first, found);
  }

  /** Copies as many elements as the buffer has room for. */
  private void fill(ByteBuffer buffer, PendingTransfer from) throws IOException {
    int count = Math.min(buffer.remaining() / from.elements().dtype().bytes(), end - next);
    if (!server.transfers().isOpen(from) || !from.copy(next, count, buffer)) {
      throw new EOFException("the call of " + from.ticket() + " has ended");
    }
    next += count;
    if (next == end) {
      CacheLine.pad(buffer); // There is room: a piece is of whole lines.
      server.sent(from, end - begin); // Before the receiver can have it.
    }
    buffer.flip();
  }

  private void refill(ByteBuffer buffer) throws IOException {
    if (buffer.hasRemaining()) {
      return;
    }
    PendingTransfer from = transfer;
    if (next == end || from == null) {
      transfer = null;
      piece = null;
      server.free(buffer);
    } else {
      fill(buffer.clear(), from);
    }
  }

  /** Returns whether it is of no use any more: nobody asks, or what it sends has ended. */
  boolean isOver(long idleNanos) {
    PendingTransfer sent = transfer;
    return sent == null
        ? System.nanoTime() - lastNanos > idleNanos
        : !server.transfers().isOpen(sent);
  }

  void close() throws IOException {
    ByteBuffer held = piece;
    transfer = null;
    piece = null;
    if (held != null) {
      server.free(held);
    }
    channel.close();
  }
}
