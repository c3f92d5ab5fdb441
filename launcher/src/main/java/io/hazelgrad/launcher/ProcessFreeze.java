package io.hazelgrad.launcher;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits until SIGSTOP has stopped a process. The signal goes to one thread, which stops the others
 * when its turn comes; until then they go on, and may answer a call. Only Linux tells, by {@code
 * /proc}; elsewhere there is no wait.
 */
final class ProcessFreeze {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private ProcessFreeze() {}

  /**
   * Waits for a process.
   *
   * @throws FailedException if it still runs after 10 s
   */
  static void await(long pid) {
    Path threads = Path.of("/proc", Long.toString(pid), "task");
    if (!Files.isDirectory(threads)) {
      return;
    }
    long start = System.nanoTime();
    while (!isStopped(threads)) {
      if (System.nanoTime() - start > PATIENCE_NANOS) {
        throw new FailedException("process " + pid + " does not stop");
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private static boolean isStopped(Path threads) {
    try (DirectoryStream<Path> all = Files.newDirectoryStream(threads)) {
      for (Path thread : all) {
        if (!isThreadStopped(thread)) {
          return false;
        }
      }
      return true;
    } catch (IOException e) { // The process has ended meanwhile.
      return true;
    }
  }

  /** Its state follows its name, which stands in parentheses; T is stopped. */
  private static boolean isThreadStopped(Path thread) throws IOException {
    try {
      String stat = Files.readString(thread.resolve("stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
    } catch (NoSuchFileException e) { // It has ended.
      return true;
    }
  }
}
