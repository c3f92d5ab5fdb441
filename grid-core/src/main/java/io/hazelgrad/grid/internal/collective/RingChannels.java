package io.hazelgrad.grid.internal.collective;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * The connections of a leader in a {@link Ring}: one from the leader before and one to the next.
 * They do not block. Threads: one at a time; any thread may close them, which ends a wait.
 */
final class RingChannels implements AutoCloseable {
  private final SocketChannel previous;
  private final SocketChannel next;
  private final Selector selector;
  private final SelectionKey reading;
  private final SelectionKey writing;

  RingChannels(SocketChannel previous, SocketChannel next) throws IOException {
    this.previous = previous;
    this.next = next;
    this.selector = Selector.open();
    try {
      this.reading = previous.register(selector, 0);
      this.writing = next.register(selector, 0);
    } catch (IOException | RuntimeException e) {
      selector.close();
      throw e;
    }
  }

  SocketChannel previous() {
    return previous;
  }

  SocketChannel next() {
    return next;
  }

  /** Sleeps until there is something to read, or room to write, or the time is over. */
  void await(boolean reads, boolean writes, long millis) throws IOException {
    reading.interestOps(reads ? SelectionKey.OP_READ : 0);
    writing.interestOps(writes ? SelectionKey.OP_WRITE : 0);
    selector.select(ready -> {}, millis);
  }

  @Override
  public void close() {
    try (previous;
        next;
        selector) {
      selector.wakeup();
    } catch (IOException e) {
      // Nothing more can be done; the descriptors are given up.
    }
  }
}
