package io.hazelgrad.testkit;

import io.hazelgrad.grid.GridException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test that leaves something behind: a reference, an object or a call in a cluster that is
 * open, or a process, a thread, a segment of shared memory or an open port of one that is closed.
 * {@code @ExtendWith(Leftovers.class)} checks after every test and after the last one. {@link
 * GridTest} does so by itself.
 */
public final class Leftovers implements AfterEachCallback, AfterAllCallback {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");
  private static final Path DEVICES = Path.of("/sys/class/net");

  private static final List<Checked> OPEN = new CopyOnWriteArrayList<>();

  /** Clusters that are closed and not checked yet. */
  private static final List<Checked> CLOSED = new CopyOnWriteArrayList<>();

  /**
   * A cluster as this check sees it.
   *
   * @param held a line for each kind of reference, object or call that the workers have
   * @param localWorkers the names of the workers in this JVM
   * @param processes the processes of the other workers
   * @param ports the ports that workers were given
   */
  record Checked(
      Supplier<List<String>> held,
      Supplier<Set<String>> localWorkers,
      Supplier<List<ProcessHandle>> processes,
      Supplier<Set<Integer>> ports) {}

  static void opened(Checked cluster) {
    OPEN.add(cluster);
  }

  static void closed(Checked cluster) {
    OPEN.remove(cluster);
    CLOSED.add(cluster);
  }

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
    check(PATIENCE, List::of);
  }

  /** Does the same within a time, and with more things to look for. */
  static void check(Duration patience, Supplier<List<String>> more) {
    List<Checked> closed = List.copyOf(CLOSED);
    try {
      Await.until(
          patience,
          () -> {
            List<String> found = find();
            found.addAll(more.get());
            return found.isEmpty() ? "" : "left behind: " + String.join("; ", found);
          });
    } finally {
      CLOSED.removeAll(closed); // Later clusters may get their ports and process ids.
    }
  }

  private static List<String> find() {
    List<String> found = new ArrayList<>();
    for (Checked cluster : OPEN) {
      try {
        found.addAll(cluster.held().get());
      } catch (GridException e) {
        found.add("unknown, because a worker does not answer: " + e.getMessage());
      }
    }
    strangeProcesses()
        .forEach(process -> found.add("process " + process.pid() + " " + process.info()));
    addThreads(found);
    addSharedMemory(found);
    addPorts(found);
    addDevices(found);
    return found;
  }

  /** Finds network devices of this process while none of its clusters is open. */
  private static void addDevices(List<String> found) {
    if (OPEN.isEmpty() && Files.isDirectory(DEVICES)) {
      try (DirectoryStream<Path> devices =
          Files.newDirectoryStream(DEVICES, HostNetwork.DEVICE_PREFIX + "*")) {
        devices.forEach(device -> found.add("network device " + device.getFileName()));
      } catch (IOException e) {
        found.add("unknown, because " + DEVICES + " cannot be listed: " + e);
      }
    }
  }

  private static Stream<ProcessHandle> handles(List<Checked> clusters) {
    return clusters.stream().flatMap(it -> it.processes().get().stream());
  }

  /** Returns the living descendants of this process that are no workers of open clusters. */
  static List<ProcessHandle> strangeProcesses() {
    Set<ProcessHandle> expected = new HashSet<>(handles(OPEN).toList());
    return ProcessHandle.current()
        .descendants()
        .filter(process -> process.isAlive() && !expected.contains(process))
        .toList();
  }

  private static void addThreads(List<String> found) {
    List<String> ours =
        OPEN.stream()
            .flatMap(it -> it.localWorkers().get().stream())
            .map(worker -> "hazelgrad-" + worker + "-")
            .toList();
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
    Set<Long> ended = new HashSet<>();
    handles(CLOSED).forEach(process -> ended.add(process.pid()));
    handles(OPEN).forEach(process -> ended.remove(process.pid()));
    if (OPEN.isEmpty()) {
      ended.add(ProcessHandle.current().pid());
    }
    for (long pid : ended) {
      segments(pid).forEach(file -> found.add("shared memory " + file));
    }
  }

  private static List<Path> segments(long pid) {
    if (!Files.isDirectory(SHARED_MEMORY)) {
      return List.of();
    }
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(SHARED_MEMORY, "hazelgrad*-" + pid + "-*")) {
      files.forEach(found::add);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + SHARED_MEMORY, e);
    }
    return found;
  }

  /**
   * Ends the processes that a failed test has left, and removes the shared memory of workers that
   * were killed in closed clusters. The next worker would remove it, but there may be none.
   */
  static void clear() {
    strangeProcesses().forEach(ProcessHandle::destroyForcibly);
    handles(CLOSED)
        .filter(process -> !process.isAlive())
        .flatMap(process -> segments(process.pid()).stream())
        .forEach(file -> file.toFile().delete());
    CLOSED.clear();
  }

  /**
   * Finds ports of stopped clusters on which this process or one that it started listens, without
   * those that an open cluster has now.
   */
  private static void addPorts(List<String> found) {
    Set<Integer> ports = new HashSet<>();
    CLOSED.forEach(cluster -> ports.addAll(cluster.ports().get()));
    OPEN.forEach(cluster -> ports.removeAll(cluster.ports().get()));
    if (!ports.isEmpty()) {
      ProcessHandle self = ProcessHandle.current();
      ports.retainAll(ListeningPorts.of(Stream.concat(Stream.of(self), self.descendants())));
      ports.forEach(port -> found.add("port " + port));
    }
  }
}
