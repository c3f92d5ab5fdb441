package io.hazelgrad.testkit;

import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Carries packets between the devices of hosts, and loses, delays or refuses them as the {@link
 * LinkQuality} of their direction says. Threads: safe. It has a thread for each device and one for
 * delayed packets, until {@link #close}.
 */
final class HostRouter implements AutoCloseable {
  private static final int MOST_BYTES = 2048;
  private static final long LONGEST_QUEUE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long SEED = 20;

  private record Direction(int from, int to) {}

  /** A host's device, with the thread that reads it. */
  private record Port(TunDevice device, Thread reader) {}

  /** A direction's quality, and until when its rate is used up. Guarded by itself. */
  private static final class Link {
    final LinkQuality quality;
    final SplittableRandom random = new SplittableRandom(SEED);
    long freeNanos = System.nanoTime();

    Link(LinkQuality quality) {
      this.quality = quality;
    }

    /** Returns the nanoseconds until a packet arrives, or -1 if it is lost. */
    synchronized long delayOf(int bytes) {
      if (quality.isCut() || random.nextDouble() < quality.loss()) {
        return -1;
      }
      long now = System.nanoTime();
      long queued = 0;
      if (quality.bytesPerSecond() > 0) {
        queued = Math.max(0, freeNanos - now);
        if (queued > LONGEST_QUEUE_NANOS) {
          return -1;
        }
        freeNanos = now + queued + bytes * 1_000_000_000L / quality.bytesPerSecond();
      }
      long jitter = quality.jitter().toNanos();
      return queued + quality.delay().toNanos() + (jitter == 0 ? 0 : random.nextLong(jitter));
    }
  }

  private final Map<Integer, Port> ports = new ConcurrentHashMap<>();
  private final Map<Direction, Link> links = new ConcurrentHashMap<>();

  /** By the number of a TCP port, the bytes that its connections may still carry. */
  private final Map<Integer, AtomicLong> silent = new ConcurrentHashMap<>();

  /** The TCP ports whose connections are reset. */
  private final Set<Integer> reset = ConcurrentHashMap.newKeySet();

  private final ScheduledThreadPoolExecutor later =
      new ScheduledThreadPoolExecutor(1, work -> thread("later", work));
  private volatile boolean closed;

  private static Thread thread(String name, Runnable work) {
    Thread thread = new Thread(work, CutNetwork.THREADS + "router-" + name);
    thread.setDaemon(true);
    return thread;
  }

  /** Adds the device of a host, in place of that of its earlier process. */
  void attach(int address, TunDevice device) {
    Thread reader = thread(device.name(), () -> read(address, device));
    Port old = ports.put(address, new Port(device, reader));
    reader.start();
    end(old);
  }

  void set(int from, int to, LinkQuality quality) {
    links.put(new Direction(from, to), new Link(quality));
  }

  /** Loses all packets of a TCP port's connections after they have carried so many bytes. */
  void silence(int tcpPort, long afterBytes) {
    silent.put(tcpPort, new AtomicLong(afterBytes));
  }

  /** Returns whether a port's connections have been silenced. */
  boolean isSilent(int tcpPort) {
    AtomicLong left = silent.get(tcpPort);
    return left != null && left.get() < 0;
  }

  /** Ends all connections of a TCP port by a reset to both sides, as some firewalls do. */
  void reset(int tcpPort) {
    reset.add(tcpPort);
  }

  void heal() {
    links.clear();
    reset.clear();
    silent.clear();
  }

  private void read(int address, TunDevice device) {
    byte[] buffer = new byte[MOST_BYTES];
    try {
      while (!closed && isCurrent(address, device)) {
        int length = device.read(buffer);
        if (length > 0) {
          IpPacket packet = IpPacket.of(Arrays.copyOf(buffer, length));
          if (packet.isIpv4() && packet.source() == address) {
            route(packet);
          }
        }
      }
    } catch (IOException e) {
      // The process of the host has ended, and its device with it.
    }
  }

  private boolean isCurrent(int address, TunDevice device) {
    Port port = ports.get(address);
    return port != null && port.device() == device;
  }

  private void route(IpPacket packet) {
    if (isSilenced(packet)) {
      return;
    }
    if (reset.stream().anyMatch(packet::hasPort) && !packet.isReset()) {
      write(packet.target(), packet.resetOfReceiver());
      write(packet.source(), packet.resetOfSender());
      return;
    }
    byte[] bytes = packet.bytes().array();
    Link link = links.get(new Direction(packet.source(), packet.target()));
    if (link == null) {
      write(packet.target(), bytes);
    } else {
      long delay = link.delayOf(bytes.length);
      if (delay == 0) {
        write(packet.target(), bytes);
      } else if (delay > 0) {
        writeLater(packet.target(), bytes, delay);
      }
    }
  }

  private boolean isSilenced(IpPacket packet) {
    for (Map.Entry<Integer, AtomicLong> each : silent.entrySet()) {
      if (packet.hasPort(each.getKey())
          && each.getValue().addAndGet(-packet.bytes().capacity()) < 0) {
        return true;
      }
    }
    return false;
  }

  private void writeLater(int target, byte[] bytes, long nanos) {
    try {
      var unused = later.schedule(() -> write(target, bytes), nanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      // The router is closing: packets are lost.
    }
  }

  private void write(int target, byte[] bytes) {
    Port port = ports.get(target);
    if (port != null && !closed) {
      // Not while the device is closed: its number may be another file's then.
      synchronized (port) {
        if (isCurrent(target, port.device())) {
          port.device().write(bytes);
        }
      }
    }
  }

  private static void end(@Nullable Port port) {
    if (port != null) {
      join(port.reader());
      synchronized (port) {
        port.device().close();
      }
    }
  }

  private static void join(Thread reader) {
    Await.until("the router's thread has ended", JvmCluster.PATIENCE, () -> !reader.isAlive());
  }

  @Override
  public void close() {
    closed = true;
    later.shutdownNow();
    ports.keySet().forEach(address -> end(ports.remove(address)));
    Await.until("the router has ended", JvmCluster.PATIENCE, later::isTerminated);
  }
}
