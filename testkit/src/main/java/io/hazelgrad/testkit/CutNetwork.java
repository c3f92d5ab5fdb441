package io.hazelgrad.testkit;

import io.hazelgrad.launcher.LocalCluster;
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
 * A network between the workers of one machine that can be cut, without root.
 *
 * <p>Each worker listens on, and connects from, an address of 127.0.0.0/8 of its own, and tells the
 * others to reach it at a proxy of this class. So the proxy of a worker knows by the source address
 * who connects, and hence for both directions of the connection which worker speaks to which. (On
 * Linux all of 127.0.0.0/8 is there; on macOS such addresses must be added to the interface first.)
 *
 * <p>A cut is silent, as that of a real network: sockets stay open, what is sent does not arrive,
 * and neither does the news that a socket was closed. What both ends have kept open until the cut
 * is healed goes on where it stopped, as TCP does.
 *
 * <p>Streams of large tensors, which workers without shared memory open to a port of their own, go
 * past the proxies and are not cut.
 *
 * <p>Threads: safe. One thread accepts per worker, two copy per connection; all end with {@link
 * #close}.
 */
final class CutNetwork implements LocalCluster.Network, AutoCloseable {
  private static final int FIRST_ADDRESS = 20;
  private static final int MOST = 200;
  private static final int BUFFER = 64 * 1024;
  static final String THREADS = "cut-network-";

  /** A direction between two workers. */
  private record Way(String from, String to) {}

  private final Object lock = new Object();

  /** Guarded by the lock, as are the next two. */
  private final Set<Way> cuts = new HashSet<>();

  private final List<String> workers = new ArrayList<>();
  private final Map<String, ServerSocket> proxies = new HashMap<>();
  private boolean closed;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

  @Override
  public String host(String worker) {
    synchronized (lock) {
      int index = workers.indexOf(worker);
      if (index < 0) {
        index = workers.size();
        if (index == MOST) {
          throw new IllegalStateException("at most " + MOST + " workers in one network");
        }
        workers.add(worker);
      }
      return "127.0.0." + (FIRST_ADDRESS + index);
    }
  }

  /** Starts the proxy of a worker; one that it had before, in another process, ends. */
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

  /** Stops what one worker says to another. */
  void cutOneWay(String from, String to) {
    synchronized (lock) {
      requireKnown(from);
      requireKnown(to);
      cuts.add(new Way(from, to));
    }
  }

  private void requireKnown(String worker) {
    if (!workers.contains(worker)) {
      throw new IllegalArgumentException("no worker " + worker + " is in the network: " + workers);
    }
  }

  /** Ends all cuts. */
  void heal() {
    synchronized (lock) {
      cuts.clear();
      lock.notifyAll();
    }
  }

  /** Waits while a way is cut; false if the network was closed. */
  private boolean awaitOpen(Way way) throws InterruptedException {
    synchronized (lock) {
      while (cuts.contains(way) && !closed) {
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
          start(from + "-" + worker, () -> connect(caller, new Way(from, worker), target));
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

  /** Makes the second half of a connection, when its first packet can go both ways, and copies. */
  private void connect(Socket caller, Way way, InetSocketAddress target) {
    Way back = new Way(way.to(), way.from());
    Socket called = new Socket();
    sockets.add(called);
    try {
      if (awaitOpen(way) && awaitOpen(back)) {
        called.connect(target);
        caller.setTcpNoDelay(true);
        called.setTcpNoDelay(true);
        start(back.from() + "-" + back.to(), () -> copy(called, caller, back));
        copy(caller, called, way);
        return;
      }
    } catch (IOException e) {
      // The worker does not listen yet, or any more.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    close(caller);
    close(called);
  }

  private void copy(Socket source, Socket target, Way way) {
    byte[] buffer = new byte[BUFFER];
    try {
      InputStream in = source.getInputStream();
      OutputStream out = target.getOutputStream();
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        if (!awaitOpen(way)) {
          return;
        }
        out.write(buffer, 0, count);
      }
      var unused = awaitOpen(way); // The end does not pass a cut either.
    } catch (IOException e) {
      // One of the two ends has gone; so does the other.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      close(source);
      close(target);
    }
  }

  private void start(String name, Runnable work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } finally {
                threads.remove(Thread.currentThread());
              }
            },
            THREADS + name);
    thread.setDaemon(true);
    threads.add(thread);
    thread.start();
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
        // It is of no more use in any case.
      }
    }
  }

  /** Closes all connections and waits for the threads. */
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
          return threads.isEmpty() ? "" : "threads of the network have ended: " + threads;
        });
  }
}
