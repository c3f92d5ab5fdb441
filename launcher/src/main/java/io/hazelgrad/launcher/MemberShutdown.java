package io.hazelgrad.launcher;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.group.Shutdown;
import io.hazelgrad.grid.group.ShutdownReport;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jline.utils.Signals;

/**
 * The end of a member's process, in bounded time. The first signal, SIGTERM or SIGINT, waits for
 * calls that are under way from and to the member; then the member leaves with a hand-over of its
 * data. The second signal ends the process at once, and the other members see a lost worker.
 */
final class MemberShutdown {
  /** The word on a worker's standard input that lets it leave with a hand-over. */
  static final String LEAVE = "leave";

  /** The time for leaving after the calls have ended; then the process ends without it. */
  private static final Duration LEAVE_LIMIT = Duration.ofSeconds(20);

  /** The signals, each with the exit code that is usual for a process that it ended. */
  private static final Map<String, Integer> SIGNALS = Map.of("INT", 128 + 2, "TERM", 128 + 15);

  private final Duration drain;

  /** True if the standard input ended without {@link #LEAVE}. */
  private volatile boolean abandoned;

  private volatile boolean begun;

  MemberShutdown(Duration drain) {
    this.drain = drain;
  }

  void prepare(Grid grid) {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> leave(grid), "leave"));
  }

  boolean isBegun() {
    return begun;
  }

  private void leave(Grid grid) {
    begun = true;
    SIGNALS.forEach((name, code) -> Signals.register(name, () -> Runtime.getRuntime().halt(code)));
    startDaemon("leave-limit", this::endAfterLimit);
    if (abandoned) {
      grid.hazelcast().getLifecycleService().terminate();
    } else if (!drain.isZero()) {
      drain(grid);
    }
    grid.close();
  }

  private void drain(Grid grid) {
    String worker = "worker " + grid.worker().name();
    System.out.println(
        "%s leaves when its calls have ended, in %s s at most"
            .formatted(worker, drain.toMillis() / 1000.0));
    try {
      ShutdownReport report = Shutdown.of(grid).alone(drain);
      String cutOff =
          "; it cut off %s calls of its own and %s of others"
              .formatted(report.callsLeft(), report.servedLeft());
      boolean isClean = report.callsLeft() + report.servedLeft() == 0;
      System.out.println(worker + " has left" + (isClean ? "" : cutOff));
    } catch (RuntimeException e) { // Such as a member that was shut down in the meantime.
      System.out.println(worker + " leaves at once: " + e);
    }
    System.out.flush();
  }

  private void endAfterLimit() {
    try {
      TimeUnit.NANOSECONDS.sleep(drain.plus(LEAVE_LIMIT).toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().halt(Main.FAILED);
  }

  /** Starts to watch the parent. It comes before joining, because the parent may die meanwhile. */
  void watchParent() {
    startDaemon("parent-watch", this::awaitParent);
  }

  /**
   * Waits for the parent, which writes {@link #LEAVE} to stop this worker only. If the input ends
   * without it, the parent has died or stops all its workers, and there is no hand-over.
   */
  private void awaitParent() {
    StringBuilder read = new StringBuilder();
    try {
      int next = System.in.read();
      while (next >= 0 && !read.toString().equals(LEAVE)) {
        read.append((char) next);
        next = System.in.read();
      }
    } catch (IOException e) {
      // The same as the end of the input.
    }
    abandoned = !read.toString().equals(LEAVE);
    System.exit(Main.OK);
  }

  private static void startDaemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }
}
