package io.hazelgrad.testkit;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.launcher.LocalCluster;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test that leaves something behind: a reference, an object or a call in a cluster that is
 * open, or a process, a thread, a segment of shared memory or an open port of one that is closed.
 * {@code @ExtendWith(Leftovers.class)} checks after every test and after the last one.
 */
public final class Leftovers implements AfterEachCallback, AfterAllCallback {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");
  private static final Path DEVICES = Path.of("/sys/class/net");

  @Override
  public void afterEach(ExtensionContext context) {
    check();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    check();
  }

  /** Waits until nothing is left, since releases take a moment; throws a list of it after 20 s. */
  public static void check() {
    List<LocalCluster> stopped = List.copyOf(JvmCluster.STOPPED);
    Await.until(
        PATIENCE,
        () -> {
          List<String> found = find();
          return found.isEmpty() ? "" : "left behind: " + String.join("; ", found);
        });
    JvmCluster.STOPPED.removeAll(stopped); // Later clusters may get their ports and process ids.
  }

  private static List<String> find() {
    List<String> found = new ArrayList<>();
    for (JvmCluster cluster : JvmCluster.OPEN) {
      try {
        found.addAll(cluster.leftovers());
      } catch (GridException e) {
        found.add("unknown, because a worker does not answer: " + e.getMessage());
      }
    }
    addProcesses(found);
    addThreads(found);
    addSharedMemory(found);
    addPorts(found);
    addDevices(found);
    return found;
  }

  /** Finds network devices of this process while none of its clusters is open. */
  private static void addDevices(List<String> found) {
    if (JvmCluster.OPEN.isEmpty() && Files.isDirectory(DEVICES)) {
      try (DirectoryStream<Path> devices =
          Files.newDirectoryStream(DEVICES, HostNetwork.DEVICE_PREFIX + "*")) {
        devices.forEach(device -> found.add("network device " + device.getFileName()));
      } catch (IOException e) {
        found.add("unknown, because " + DEVICES + " cannot be listed: " + e);
      }
    }
  }

  private static List<LocalCluster> open() {
    return JvmCluster.OPEN.stream().map(JvmCluster::processes).toList();
  }

  private static Stream<ProcessHandle> handles(List<LocalCluster> clusters) {
    return clusters.stream()
        .flatMap(it -> it.workers().stream().map(worker -> it.worker(worker).handle()));
  }

  private static void addProcesses(List<String> found) {
    List<ProcessHandle> expected = handles(open()).toList();
    ProcessHandle.current()
        .descendants()
        .filter(process -> process.isAlive() && !expected.contains(process))
        .forEach(process -> found.add("process " + process.pid() + " " + process.info()));
  }

  private static void addThreads(List<String> found) {
    List<String> ours =
        JvmCluster.OPEN.stream().map(it -> "hazelgrad-" + it.driver() + "-").toList();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      String name = thread.getName();
      boolean ofNetwork = name.startsWith(CutNetwork.THREADS) && ours.isEmpty();
      if (ofNetwork
          || (name.startsWith("hazelgrad-") && ours.stream().noneMatch(name::startsWith))) {
        found.add("thread " + name);
      }
    }
  }

  /** Finds segments by the process id in their name. Segments of other processes do not count. */
  private static void addSharedMemory(List<String> found) {
    if (!Files.isDirectory(SHARED_MEMORY)) {
      return;
    }
    Set<Long> ended = new HashSet<>();
    handles(JvmCluster.STOPPED).forEach(process -> ended.add(process.pid()));
    handles(open()).forEach(process -> ended.remove(process.pid()));
    if (JvmCluster.OPEN.isEmpty()) {
      ended.add(ProcessHandle.current().pid());
    }
    for (long pid : ended) {
      try (DirectoryStream<Path> files =
          Files.newDirectoryStream(SHARED_MEMORY, "hazelgrad*-" + pid + "-*")) {
        files.forEach(file -> found.add("shared memory " + file));
      } catch (IOException e) {
        found.add("unknown, because " + SHARED_MEMORY + " cannot be listed: " + e);
      }
    }
  }

  /**
   * Finds ports of stopped clusters on which this process or one that it started listens, without
   * those that an open cluster has now.
   */
  private static void addPorts(List<String> found) {
    Set<Integer> ports = new HashSet<>();
    JvmCluster.STOPPED.forEach(cluster -> ports.addAll(cluster.ports()));
    open().forEach(cluster -> ports.removeAll(cluster.ports()));
    if (!ports.isEmpty()) {
      ProcessHandle self = ProcessHandle.current();
      ports.retainAll(ListeningPorts.of(Stream.concat(Stream.of(self), self.descendants())));
      ports.forEach(port -> found.add("port " + port));
    }
  }
}
