package io.hazelgrad.tests.chaos;

import io.hazelgrad.grid.GridException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/** Record of the results of one agent. Threads: safe. */
final class ResultLog {
  /**
   * Every call has a deadline, so no wait is longer than this. It includes room for a busy machine.
   */
  private static final long LONGEST_WAIT_MILLIS = 60_000;

  private static final int MOST_WRONGS = 20;
  private static final int SHOWN_FRAMES = 12;

  private final String agent;
  private final Map<String, Long> done = new TreeMap<>();
  private final Map<String, Long> failed = new TreeMap<>();
  private final Map<String, Long> longest = new TreeMap<>();
  private final Set<String> losses = new TreeSet<>();
  private final List<String> wrong = new ArrayList<>();

  ResultLog(String agent) {
    this.agent = agent;
  }

  synchronized void done(String kind) {
    done.merge(kind, 1L, Long::sum);
    HistoryLog.here().done();
  }

  synchronized void failed(String kind, long from, GridException failure) {
    failed.merge(kind + " " + failure.status(), 1L, Long::sum);
    HistoryLog.here().failed(kind, from, failure);
  }

  synchronized void took(String kind, long nanos) {
    long millis = TimeUnit.NANOSECONDS.toMillis(nanos);
    longest.merge(kind, millis, Long::max);
    if (millis > LONGEST_WAIT_MILLIS) {
      wrong(kind + " took " + millis + " ms");
    }
  }

  synchronized void stalled(long nanos) {
    longest.merge(ResultCounts.STALL, TimeUnit.NANOSECONDS.toMillis(nanos), Long::max);
  }

  /** Records that {@code reporter} was told that {@code owner} is lost. */
  synchronized void lost(long reporter, long owner) {
    losses.add(reporter + " " + owner);
  }

  synchronized void wrong(String what) {
    if (wrong.size() < MOST_WRONGS) {
      wrong.add(agent + ": " + what);
    }
  }

  void wrong(String kind, Throwable thrown) {
    StringBuilder text = new StringBuilder(kind);
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      text.append(cause == thrown ? ": " : "\n    because of ").append(cause);
      if (cause instanceof GridException known && known.remote() != null) {
        text.append("\n    thrown remotely: ").append(known.remote());
      }
      StackTraceElement[] trace = cause.getStackTrace();
      for (int i = 0; i < Math.min(trace.length, SHOWN_FRAMES); i++) {
        text.append("\n      at ").append(trace[i]);
      }
    }
    wrong(text.toString());
  }

  synchronized ResultCounts counts() {
    return new ResultCounts(
        Map.copyOf(done),
        Map.copyOf(failed),
        Map.copyOf(longest),
        List.copyOf(losses),
        List.copyOf(wrong));
  }
}
