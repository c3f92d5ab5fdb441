package io.hazelgrad.tests.chaos;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.hazelgrad.grid.GridException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The file in which this process notes its part of the {@link History}. It has a name of its own,
 * since a later process may get the same process id. Each line is written at once, so that it
 * outlives a SIGKILL. All processes of a machine have the same {@code System.nanoTime()} on Linux.
 * Threads: safe.
 */
final class HistoryLog {
  /** The property with the directory of the files; without it nothing is noted. */
  static final String DIRECTORY = "chaos.history";

  private static volatile HistoryLog here = new HistoryLog(System.getProperty(DIRECTORY, ""));

  private final OutputStream file;
  private final AtomicLong numbers = new AtomicLong();

  private HistoryLog(String directory) {
    try {
      file =
          directory.isEmpty()
              ? OutputStream.nullOutputStream()
              : Files.newOutputStream(Files.createTempFile(Path.of(directory), "process-", ""));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the log of this JVM. */
  static HistoryLog here() {
    return here;
  }

  /** Begins a log in another directory, for the JVM of the test. */
  static void into(Path directory) {
    here = new HistoryLog(directory.toString());
  }

  /** A use of a counter that has begun. */
  final class Use {
    private final long number = numbers.incrementAndGet();

    private Use(String kind, HeldHandle handle) {
      write("use", number, System.nanoTime(), kind, handle.id(), handle.kind());
    }

    void returned(long hits) {
      write("ok", number, System.nanoTime(), hits);
    }

    void failed(GridException failure) {
      if (!failure.mayHaveRun() && failure.remote() == null) {
        write("none", number, System.nanoTime());
      }
    }
  }

  /** Notes the name of this process. */
  void process(String name) {
    write("process", name);
  }

  Use hit(HeldHandle handle) {
    return new Use("INCREMENT", handle);
  }

  Use read(HeldHandle handle) {
    return new Use("READ", handle);
  }

  void done() {
    write("done", System.nanoTime());
  }

  /** Notes a failure of work that began at {@code from}. */
  void failed(String kind, long from, GridException failure) {
    write(
        "failed", from, System.nanoTime(), failure.status(), kind.replace(' ', '-'), text(failure));
  }

  /** Notes that a handle is of no more use, because its object is lost or was not made. */
  void useless(HeldHandle handle, GridException failure) {
    write(
        "useless",
        System.nanoTime(),
        handle.id(),
        handle.kind(),
        handle.rref().owner().name(),
        failure.status(),
        handle.isNotMade() ? "not-made" : "made",
        text(failure));
  }

  void stalled(long from, long to) {
    write("stall", from, to);
  }

  /** Notes an open handle; returns its number. */
  long held(long counter, HeldHandle.Kind kind, String owner) {
    long number = numbers.incrementAndGet();
    write("held", number, System.nanoTime(), counter, kind, owner);
    return number;
  }

  void closing(long handle) {
    write("closing", handle, System.nanoTime());
  }

  void dropped(long counter) {
    write("dropped", System.nanoTime(), counter);
  }

  /** Notes the number of forks that the registry had at a time since {@code from}. */
  void counted(long from, long counter, int forks) {
    write("forks", from, System.nanoTime(), counter, forks);
  }

  private static String text(GridException failure) {
    return String.valueOf(failure.getMessage()).replaceAll("\\s+", " ");
  }

  private void write(Object... fields) {
    StringBuilder line = new StringBuilder();
    for (Object field : fields) {
      line.append(field).append('\t');
    }
    try {
      synchronized (this) {
        file.write(line.append('\n').toString().getBytes(UTF_8));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the history cannot be written", e);
    }
  }
}
