package io.hazelgrad.tests.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** TCP proxy between a client and a member that breaks their connections on demand. */
public final class CuttableProxy implements AutoCloseable {
  private final ServerSocket server;
  private final Supplier<String> target;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean blocked;
  private boolean stalled;

  CuttableProxy(String endpoint) throws IOException {
    this(() -> endpoint);
  }

  /**
   * Creates a proxy that forwards each connection to the member that {@code target} returns then,
   * as {@code host:port}.
   */
  public CuttableProxy(Supplier<String> target) throws IOException {
    this.target = target;
    server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start("accept", this::accept);
  }

  private InetSocketAddress target() {
    String endpoint = target.get();
    int colon = endpoint.lastIndexOf(':');
    return new InetSocketAddress(
        endpoint.substring(0, colon), Integer.parseInt(endpoint.substring(colon + 1)));
  }

  /** Returns the address for the client. */
  public String endpoint() {
    return "127.0.0.1:" + server.getLocalPort();
  }

  private synchronized void start(String name, Runnable work) {
    Thread thread = new Thread(work, "cuttable-proxy-" + name);
    thread.setDaemon(true);
    threads.add(thread);
    thread.start();
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket in = server.accept();
        if (blocked) {
          in.close();
          continue;
        }
        sockets.add(in);
        Socket out = new Socket();
        sockets.add(out);
        out.connect(target());
        start("to", () -> copy(in, out, () -> {}));
        start("from", () -> copy(out, in, this::awaitFlow));
      } catch (IOException e) {
        // The test closes the proxy, or the member is not there: the client tries again.
      }
    }
  }

  private static void copy(Socket from, Socket to, Runnable before) {
    byte[] buffer = new byte[64 * 1024];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      int count;
      while ((count = in.read(buffer)) >= 0) {
        before.run();
        out.write(buffer, 0, count);
      }
    } catch (IOException e) {
      // One end was cut or closed, so the other end is closed too.
    }
  }

  /** Breaks all connections. New ones can be made. */
  void cut() throws IOException {
    for (Socket socket : List.copyOf(sockets)) {
      socket.close();
      sockets.remove(socket);
    }
  }

  /** Breaks all connections, and every new one until {@link #heal}. */
  public void block() throws IOException {
    blocked = true;
    cut();
  }

  /** Allows connections again. */
  public void heal() {
    blocked = false;
  }

  /** Stops reading from the members, like a client that reads nothing. */
  synchronized void stall() {
    stalled = true;
  }

  /** Reads from the members again. */
  synchronized void flow() {
    stalled = false;
    notifyAll();
  }

  private synchronized void awaitFlow() {
    try {
      while (stalled) {
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns whether a connection uses this proxy. */
  boolean isUsed() {
    return sockets.stream().anyMatch(socket -> !socket.isClosed());
  }

  @Override
  public void close() throws Exception {
    server.close();
    flow();
    cut();
    List<Thread> all;
    synchronized (this) {
      all = List.copyOf(threads);
    }
    for (Thread thread : all) {
      thread.join(5000);
    }
  }
}
