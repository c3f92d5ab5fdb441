package io.hazelgrad.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A network between the workers of one machine that a test can cut, without root.
 *
 * <p>Each worker has its own address in 127.0.0.0/8. It listens there, connects from there, and
 * announces a proxy of this class to the others. The source address tells the proxy which worker
 * connects. Linux has all addresses of 127.0.0.0/8; on macOS they must be added to the loopback
 * interface first.
 *
 * <p>A cut is silent, as in a real network: sockets stay open, and neither data nor the end of a
 * connection arrives. After the cut is healed, a connection that both ends have kept open goes on
 * where it stopped. Streams of large tensors go to ports that have no proxy, and are not cut.
 *
 * <p>Threads: safe. One thread per worker accepts, two per connection copy, until {@link #close}.
 */
final class CutNetwork implements TestNetwork {
  private static final int FIRST_ADDRESS = 20;
  private static final int MOST = 200;
  private static final int BUFFER = 64 * 1024;
  static final String THREADS = "cut-network-";

  private record Direction(String from, String to) {}

  private final Object lock = new Object();

  /** Guarded by {@link #lock}, like the three fields below. */
  private final Set<Direction> cuts = new HashSet<>();

  private final List<String> workers = new ArrayList<>();
  private final Map<String, ServerSocket> proxies = new HashMap<>();
  private boolean closed;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

  @Override
  public String host(String worker) {
    synchronized (lock) {
      if (!workers.contains(worker)) {
        if (workers.size() == MOST) {
          throw new IllegalStateException("at most " + MOST + " workers in one network");
        }
        workers.add(worker);
      }
      return "127.0.0." + (FIRST_ADDRESS + workers.indexOf(worker));
    }
  }

  /** Starts the proxy of a worker, and closes the proxy of an earlier process of that name. */
  @Override
  public InetSocketAddress announced(String worker, InetSocketAddress address) {
    try {
      ServerSocket proxy = new ServerSocket(0, 50, address.getAddress());
      synchronized (lock) {
        closeQuietly(proxies.put(worker, proxy));
      }
      start(worker, () -> accept(worker, proxy, address));
      return new InetSocketAddress(address.getAddress(), proxy.getLocalPort());
    } catch (IOException e) {
      throw new UncheckedIOException("no proxy for " + worker + " at " + address, e);
    }
  }

  @Override
  public void cutOneWay(String from, String to) {
    synchronized (lock) {
      requireKnown(from);
      requireKnown(to);
      cuts.add(new Direction(from, to));
    }
  }

  private void requireKnown(String worker) {
    if (!workers.contains(worker)) {
      throw new IllegalArgumentException("no worker " + worker + " is in the network: " + workers);
    }
  }

  @Override
  public void heal() {
    synchronized (lock) {
      cuts.clear();
      lock.notifyAll();
    }
  }

  /** Waits while a direction is cut; returns false if the network was closed. */
  private boolean awaitOpen(Direction direction) throws InterruptedException {
    synchronized (lock) {
      while (cuts.contains(direction) && !closed) {
        lock.wait();
      }
      return !closed;
    }
  }

  private void accept(String worker, ServerSocket proxy, InetSocketAddress target) {
    try {
      while (true) {
        Socket caller = proxy.accept();
        sockets.add(caller);
        String from = owner(caller.getInetAddress());
        if (from == null) {
          close(caller);
        } else {
          start(from + "-" + worker, () -> connect(caller, new Direction(from, worker), target));
        }
      }
    } catch (IOException e) {
      // The proxy was closed.
    }
  }

  private @Nullable String owner(InetAddress address) {
    int index = (address.getAddress()[3] & 0xff) - FIRST_ADDRESS;
    synchronized (lock) {
      return index >= 0 && index < workers.size() ? workers.get(index) : null;
    }
  }

  /** Connects to the worker as soon as both directions are open, then copies both. */
  private void connect(Socket caller, Direction direction, InetSocketAddress target) {
    Direction back = new Direction(direction.to(), direction.from());
    Socket called = new Socket();
    sockets.add(called);
    try {
      if (awaitOpen(direction) && awaitOpen(back)) {
        called.connect(target);
        caller.setTcpNoDelay(true);
        called.setTcpNoDelay(true);
        start(back.from() + "-" + back.to(), () -> copy(called, caller, back));
        copy(caller, called, direction);
        return;
      }
    } catch (IOException e) {
      // The worker does not listen now.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    close(caller);
    close(called);
  }

  private void copy(Socket source, Socket target, Direction direction) {
    byte[] buffer = new byte[BUFFER];
    try {
      InputStream in = source.getInputStream();
      OutputStream out = target.getOutputStream();
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        if (!awaitOpen(direction)) {
          return;
        }
        out.write(buffer, 0, count);
      }
      var unused = awaitOpen(direction); // The end of the stream does not pass a cut either.
    } catch (IOException e) {
      // One end is closed; the other is closed below.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      close(source);
      close(target);
    }
  }

  private void start(String name, Runnable work) {
    Thread thread = new Thread(work, THREADS + name);
    thread.setDaemon(true);
    thread.start();
    threads.removeIf(it -> !it.isAlive());
    threads.add(thread);
  }

  private void close(Socket socket) {
    sockets.remove(socket);
    closeQuietly(socket);
  }

  private static void closeQuietly(@Nullable AutoCloseable closeable) {
    if (closeable != null) {
      try {
        closeable.close();
      } catch (Exception e) {
        // Nothing uses it any more.
      }
    }
  }

  /** Closes all connections and waits for the end of the threads. */
  @Override
  public void close() {
    synchronized (lock) {
      closed = true;
      lock.notifyAll();
      proxies.values().forEach(CutNetwork::closeQuietly);
    }
    sockets.forEach(CutNetwork::closeQuietly);
    Await.until(
        JvmCluster.PATIENCE,
        () -> {
          sockets.forEach(CutNetwork::closeQuietly);
          threads.removeIf(it -> !it.isAlive());
          return threads.isEmpty() ? "" : "threads of the network have ended: " + threads;
        });
  }
}
