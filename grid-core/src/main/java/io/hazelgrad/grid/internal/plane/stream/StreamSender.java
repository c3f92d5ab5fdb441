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
 * The sender's end of a stream: answers one request after the other. It copies pieces of the
 * elements, little-endian, into a buffer that is small enough to stay in the processor's cache.
 */
final class StreamSender {
  static final int PIECE = 512 << 10;

  /** The bytes that one receiver gets before the next one is served. */
  private static final int SHARE_BYTES = 1 << 20;

  private final SocketChannel channel;
  private final StreamServer server;
  private final ByteBuffer request = ByteBuffer.allocate(StreamRequest.BYTES);
  private @Nullable PendingTransfer transfer;

  /** The bytes that are not written yet; like the next three fields only while sending. */
  private @Nullable ByteBuffer piece;

  private int begin;
  private int next;
  private int end;
  private long lastNanos = System.nanoTime();
  private boolean givenAway;

  StreamSender(SocketChannel channel, StreamServer server) {
    this.channel = channel;
    this.server = server;
  }

  /**
   * Reads and writes what is possible now. Returns true to go on when the socket can be written,
   * false when it can be read; throws if the stream has to be closed.
   */
  boolean serve() throws IOException {
    lastNanos = System.nanoTime();
    for (int sent = 0; sent < SHARE_BYTES; sent += StreamRequest.BYTES) {
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

  /** Reads a request; false if none is complete yet, or if it gave the connection away. */
  private boolean takeRequest() throws IOException {
    if (channel.read(request) < 0) {
      throw new EOFException();
    }
    if (!StreamRequest.isBegun(request)) {
      throw new ProtocolException("the bytes do not begin a request for a tensor");
    }
    if (request.hasRemaining()) {
      return false;
    }
    StreamRequest wanted = StreamRequest.read(request.flip());
    boolean proven = StreamRequest.isProven(request, server.proofs);
    request.clear();
    if (wanted == null) {
      throw new ProtocolException("the bytes are not a request for a tensor");
    }
    if (!proven) {
      answer(StreamRequest.REFUSED);
      return true;
    }
    if (wanted.kind() == StreamRequest.Kind.LINK) {
      givenAway = server.giveAway(channel, wanted.ticket());
      if (!givenAway) {
        throw new ProtocolException("nobody expects the connection of " + wanted.ticket());
      }
      return false;
    }
    PendingTransfer found = server.transfers.find(wanted.ticket());
    if (wanted.kind() == StreamRequest.Kind.FETCH) {
      begin(wanted, found);
    } else if (found != null) {
      server.transfers.done(found);
    }
    return true;
  }

  private void begin(StreamRequest wanted, @Nullable PendingTransfer found) throws IOException {
    if (found == null || !wanted.isWithin(found.elements().length())) {
      // Anybody can ask for what does not exist, and need not read the answer: it is small.
      answer(StreamRequest.GONE);
      return;
    }
    ByteBuffer first = server.buffer().order(ByteOrder.LITTLE_ENDIAN);
    piece = first;
    transfer = found;
    begin = wanted.from();
    next = begin;
    end = next + wanted.count();
    CacheLine.pad(first.putLong((long) wanted.count() * found.elements().dtype().bytes()));
    fill(first, found);
  }

  /** Answers without elements. */
  private void answer(long bytes) {
    ByteBuffer line = ByteBuffer.allocate(CacheLine.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    piece = line.putLong(0, bytes);
    next = end;
  }

  private void fill(ByteBuffer buffer, PendingTransfer from) throws IOException {
    int count = Math.min(buffer.remaining() / from.elements().dtype().bytes(), end - next);
    if (!server.transfers.isOpen(from) || !from.copy(next, count, buffer)) {
      throw new EOFException("the call of " + from.ticket() + " has ended");
    }
    next += count;
    if (next == end) {
      CacheLine.pad(buffer); // A piece consists of whole lines, so there is room.
      server.sent(from, end - begin); // Counted before the receiver can have them.
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

  /** Returns whether the stream can be closed: it is idle, or what it sends has ended. */
  boolean isOver(long idleNanos) {
    PendingTransfer sent = transfer;
    return sent == null
        ? System.nanoTime() - lastNanos > idleNanos
        : !server.transfers.isOpen(sent);
  }

  void close() throws IOException {
    if (piece != null) {
      server.free(piece);
    }
    transfer = null;
    piece = null;
    if (!givenAway) {
      channel.close();
    }
  }
}
