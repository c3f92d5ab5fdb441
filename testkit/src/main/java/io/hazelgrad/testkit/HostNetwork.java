package io.hazelgrad.testkit;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A network in which each worker process is a host of its own: it has a network namespace with its
 * own loopback and address, and its own {@code /dev/shm}. The test's JVM stays in the machine's
 * namespace. All packets between them pass a {@link HostRouter} in this JVM.
 *
 * <p>It needs Linux and root. The namespaces have no names: each belongs to its worker's process
 * and ends with it, also after SIGKILL of everything. The devices end with this process.
 */
final class HostNetwork implements TestNetwork {
  /** The addresses 198.18.0.0/15 are for tests of networks (RFC 2544). Each network has 64. */
  private static final int FIRST_NETWORK = (198 << 24) | (18 << 16);

  private static final int NETWORKS = 2048;
  private static final int HOSTS = 64;
  private static final int PREFIX = 26;
  private static final long PATIENCE_SECONDS = 20;
  private static final AtomicInteger DEVICES = new AtomicInteger();
  private static final long PID = ProcessHandle.current().pid();

  /** The prefix of the names of the devices that this process has made. */
  static final String DEVICE_PREFIX = "hg" + PID + "x";

  /** The steps of a new host: its memory, its loopback, its device, and then the worker itself. */
  private static final String HOST =
      """
      set -e
      mount -t tmpfs -o size=256m hazelgrad /dev/shm
      ip link set dev lo up
      nsenter --net=/proc/"$2"/ns/net ip link set dev "$0" netns $$
      ip address add "$1" dev "$0"
      ip link set dev "$0" up
      shift 2
      exec "$@"
      """;

  private final HostRouter router = new HostRouter();
  private final String driver;
  private final int network;
  private final boolean moving;

  /** Guarded by this, as is the next. */
  private final Map<String, Integer> addresses = new HashMap<>();

  private int hosts;

  private HostNetwork(String driver, boolean moving, TunDevice own, int network) {
    this.driver = driver;
    this.moving = moving;
    this.network = network;
    router.attach(address(driver), own);
  }

  /** Returns why this machine cannot have such a network, or the empty string. */
  static String unavailable() {
    if (!"root".equals(System.getProperty("user.name"))) {
      return "hosts in network namespaces need root";
    }
    if (!Files.isWritable(Path.of("/dev/net/tun"))) {
      return "hosts in network namespaces need the device /dev/net/tun";
    }
    for (List<String> command :
        List.of(List.of("ip", "-V"), List.of("unshare", "--net", "--mount", "nsenter", "-V"))) {
      try {
        run(command);
      } catch (IOException e) {
        return "hosts in network namespaces need ip, unshare and nsenter: " + e.getMessage();
      }
    }
    try (TunDevice device = TunDevice.create(DEVICE_PREFIX + DEVICES.incrementAndGet())) {
      run(List.of("ip", "link", "set", "dev", device.name(), "up"));
    } catch (IOException e) { // A container's root may lack the capability.
      return "hosts in network namespaces need devices of their own: " + e.getMessage();
    }
    return "";
  }

  /** Makes a network around this JVM's own worker; {@code moving} gives restarts new addresses. */
  static HostNetwork around(String driver, boolean moving) throws IOException {
    TunDevice device = TunDevice.create(DEVICE_PREFIX + DEVICES.incrementAndGet());
    try {
      run(List.of("ip", "link", "set", "dev", device.name(), "up"));
      return new HostNetwork(driver, moving, device, claim(device));
    } catch (IOException | RuntimeException e) {
      device.close();
      throw e;
    }
  }

  /** Finds addresses that no other test of this machine has now: a route exists only once. */
  private static int claim(TunDevice device) throws IOException {
    IOException last = new IOException("no network was tried");
    for (int i = 0; i < NETWORKS; i++) {
      int network = FIRST_NETWORK + (int) ((PID + i) % NETWORKS) * HOSTS;
      try {
        run(List.of("ip", "route", "add", text(network) + "/" + PREFIX, "dev", device.name()));
        run(List.of("ip", "address", "add", text(network + 1) + "/32", "dev", device.name()));
        return network;
      } catch (IOException e) {
        last = e;
      }
    }
    throw new IOException("all networks of 198.18.0.0/15 are in use", last);
  }

  private static void run(List<String> command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    try {
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IOException(command + " did not end within " + PATIENCE_SECONDS + " s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while " + command + " ran", e);
    }
    if (process.exitValue() != 0) {
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      throw new IOException(command + " failed: " + output.strip());
    }
  }

  private static String text(int address) {
    return "%d.%d.%d.%d"
        .formatted(address >>> 24, (address >> 16) & 0xff, (address >> 8) & 0xff, address & 0xff);
  }

  private synchronized int address(String worker) {
    return addresses.computeIfAbsent(worker, name -> next());
  }

  private int next() {
    if (hosts == HOSTS - 2) {
      throw new IllegalStateException("at most " + hosts + " addresses in one network");
    }
    return network + ++hosts;
  }

  /** Returns the address of a worker that is about to start. */
  @Override
  public synchronized String host(String worker) {
    if (moving && !worker.equals(driver)) {
      addresses.put(worker, next());
    }
    return text(address(worker));
  }

  @Override
  public InetSocketAddress announced(String worker, InetSocketAddress address) {
    return address;
  }

  @Override
  public boolean keepsPorts() {
    return !moving;
  }

  /** Makes the worker's device, which its host then takes into its namespace. */
  @Override
  public List<String> command(String worker, List<String> command) throws IOException {
    TunDevice device = TunDevice.create(DEVICE_PREFIX + DEVICES.incrementAndGet());
    router.attach(address(worker), device);
    List<String> inHost = new ArrayList<>(List.of("unshare", "--net", "--mount", "sh", "-c", HOST));
    inHost.addAll(List.of(device.name(), text(address(worker)) + "/" + PREFIX, Long.toString(PID)));
    inHost.addAll(command);
    return inHost;
  }

  /** Sets the quality of one direction. */
  void set(String from, String to, LinkQuality quality) {
    router.set(known(from), known(to), quality);
  }

  /** Loses all packets of a TCP port's connections after they have carried so many bytes. */
  void silence(int tcpPort, long afterBytes) {
    router.silence(tcpPort, afterBytes);
  }

  void reset(int tcpPort) {
    router.reset(tcpPort);
  }

  boolean isSilent(int tcpPort) {
    return router.isSilent(tcpPort);
  }

  private synchronized int known(String worker) {
    if (!addresses.containsKey(worker)) {
      throw new IllegalArgumentException(
          "no worker " + worker + " is in the network: " + addresses.keySet());
    }
    return address(worker);
  }

  @Override
  public void cutOneWay(String from, String to) {
    set(from, to, LinkQuality.CUT);
  }

  @Override
  public void heal() {
    router.heal();
  }

  @Override
  public void close() {
    router.close();
  }
}
