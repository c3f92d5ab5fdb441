package io.hazelgrad.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Waits until SIGSTOP has stopped all threads of a process. The signal goes to one thread, which
 * stops the others when it is scheduled; until then they may answer a call. Linux shows the state
 * of threads in {@code /proc}; on other systems there is no wait.
 */
final class ProcessFreeze {
  private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private ProcessFreeze() {}

  /** Waits until all threads are stopped; throws if one still runs after 10 s. */
  static void await(long pid) {
    Path threads = Path.of("/proc", Long.toString(pid), "task");
    if (!Files.isDirectory(threads)) {
      return;
    }
    long start = System.nanoTime();
    while (!isStopped(threads)) {
      if (System.nanoTime() - start > LIMIT_NANOS) {
        throw new FailedException("process " + pid + " still runs 10 s after SIGSTOP");
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private static boolean isStopped(Path threads) {
    try (Stream<Path> all = Files.list(threads)) {
      return all.allMatch(ProcessFreeze::isThreadStopped);
    } catch (IOException | UncheckedIOException e) { // The process has ended.
      return true;
    }
  }

  /** In {@code stat} the state follows the name, which is in parentheses; T means stopped. */
  private static boolean isThreadStopped(Path thread) {
    try {
      String stat = Files.readString(thread.resolve("stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
    } catch (IOException e) { // The thread has ended.
      return true;
    }
  }
}
