package io.hazelgrad.grid.internal.waits;

import java.lang.Thread.State;
import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** The states of some threads of this JVM, and of those that own the locks they wait for. */
final class ThreadStates {
  private static final int DEPTH = 200;
  private static final String[] JDK = {"java.", "javax.", "jdk.", "sun.", "com.sun."};
  private static final String[] GRID = {
    "io.hazelgrad.grid.", "io.hazelgrad.rref.", "io.hazelgrad.autograd.", "io.hazelgrad.client."
  };
  private static final String HAZELCAST = "com.hazelcast.";
  private static final String FUTURE = "java.util.concurrent.CompletableFuture";
  private static final String ROUNDS = "io.hazelgrad.grid.internal.collective.";
  private static final String POOL = "io.hazelgrad.grid.internal.serve.CallPool";

  private final Map<Long, ThreadInfo> known = new HashMap<>();

  ThreadStates(Collection<Long> threads) {
    Set<Long> next = new HashSet<>(threads);
    while (!next.isEmpty()) {
      ThreadMXBean bean = ManagementFactory.getThreadMXBean();
      long[] ids = next.stream().mapToLong(id -> id).toArray();
      Set<Long> owners = new HashSet<>();
      for (ThreadInfo info : bean.getThreadInfo(ids, DEPTH)) {
        if (info != null) { // It has ended.
          known.put(info.getThreadId(), info);
          if (info.getLockOwnerId() > 0) {
            owners.add(info.getLockOwnerId());
          }
        }
      }
      owners.removeAll(known.keySet());
      next = owners;
    }
  }

  /** Returns the ids of the threads that have not ended. */
  Set<Long> ids() {
    return known.keySet();
  }

  /** Returns the thread that owns the lock for which another one waits; 0 if there is none. */
  long lockOwner(long thread) {
    ThreadInfo info = known.get(thread);
    return info == null ? 0 : Math.max(0, info.getLockOwnerId());
  }

  /** Returns whether a thread waits in a call or round of the grid, or for a future. */
  boolean waitsForGrid(long thread) {
    ThreadInfo info = known.get(thread);
    if (info == null || lockOwner(thread) > 0) {
      return false;
    }
    if (info.getThreadState() == State.RUNNABLE) {
      return isIn(info, ROUNDS); // Between two looks at the others.
    }
    return isInGrid(info)
        || Stream.of(info.getStackTrace())
            .takeWhile(frame -> startsWith(frame, JDK))
            .anyMatch(frame -> frame.getClassName().startsWith(FUTURE));
  }

  /** Returns whether a thread waits for its permit. */
  boolean waitsForPermit(long thread) {
    ThreadInfo info = known.get(thread);
    return info != null && isIn(info, POOL);
  }

  /** Returns whether a thread waits in a method of the grid, which gives the permit up. */
  boolean hasGivenPermitUp(long thread) {
    ThreadInfo info = known.get(thread);
    return info != null && info.getThreadState() != State.RUNNABLE && isInGrid(info);
  }

  private static boolean isInGrid(ThreadInfo info) {
    return isIn(info, GRID);
  }

  /** Returns whether the first frame outside of the JDK is in a class with such a name. */
  private static boolean isIn(ThreadInfo info, String... prefixes) {
    return Stream.of(info.getStackTrace())
        .filter(frame -> !startsWith(frame, JDK))
        .limit(1)
        .anyMatch(frame -> startsWith(frame, prefixes));
  }

  private static boolean startsWith(StackTraceElement frame, String... prefixes) {
    return Stream.of(prefixes).anyMatch(frame.getClassName()::startsWith);
  }

  /** Returns a clause about what a thread does, and where. */
  String describe(long thread) {
    ThreadInfo info = known.get(thread);
    if (info == null) {
      return "has ended";
    }
    String place =
        Stream.of(info.getStackTrace())
            .filter(frame -> !startsWith(frame, JDK) && !startsWith(frame, GRID))
            .filter(frame -> !frame.getClassName().startsWith(HAZELCAST))
            .findFirst()
            .map(frame -> " at %s(%s)".formatted(method(frame), line(frame)))
            .orElse("");
    LockInfo lock = info.getLockInfo();
    if (info.getLockOwnerId() > 0 && lock != null) {
      return "waits%s for a lock (%s) that thread \"%s\" holds"
          .formatted(place, lock.getClassName(), info.getLockOwnerName());
    }
    if (info.getThreadState() == State.RUNNABLE) {
      return "runs" + place;
    }
    return (isInGrid(info) ? "waits in the grid" : "waits") + place;
  }

  private static String method(StackTraceElement frame) {
    String type = frame.getClassName();
    return type.substring(type.lastIndexOf('.') + 1) + "." + frame.getMethodName();
  }

  private static String line(StackTraceElement frame) {
    return frame.getLineNumber() < 0
        ? String.valueOf(frame.getFileName())
        : frame.getFileName() + ":" + frame.getLineNumber();
  }
}
