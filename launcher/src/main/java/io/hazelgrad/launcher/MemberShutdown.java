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
 * How a member's process ends. On the first signal, SIGTERM or SIGINT, it lets the calls end that
 * are under way from and to it, then leaves with a hand-over of its data. On the second it ends at
 * once, and the others see a worker that was lost. In any case it ends in bounded time.
 */
final class MemberShutdown {
  /** What a parent writes on a worker's standard input to let it leave with a hand-over. */
  static final String LEAVE = "leave";

  /** How long leaving may take, after the calls, before the process ends all the same. */
  private static final Duration LEAVE_LIMIT = Duration.ofSeconds(20);

  /** Signals, and the exit code that processes have by custom when these end them. */
  private static final Map<String, Integer> SIGNALS = Map.of("INT", 128 + 2, "TERM", 128 + 15);

  private final Duration drain;

  /** Whether the parent has gone without a word. */
  private volatile boolean abandoned;

  private volatile boolean begun;

  /** Gives calls so much time to end. */
  MemberShutdown(Duration drain) {
    this.drain = drain;
  }

  /** Lets the process leave the grid when it is to end. */
  void prepare(Grid grid) {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> leave(grid), "leave"));
  }

  /** Returns whether the process is ending already. */
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
    System.out.println(worker + " leaves when its calls have ended, in " + seconds() + " at most");
    try {
      ShutdownReport report = Shutdown.of(grid).alone(drain);
      System.out.println(
          worker
              + " has left"
              + (report.callsLeft() + report.servedLeft() == 0
                  ? ""
                  : "; it cut off "
                      + report.callsLeft()
                      + " calls of its own and "
                      + report.servedLeft()
                      + " of others"));
    } catch (RuntimeException e) { // Such as a member that was shut down meanwhile.
      System.out.println(worker + " leaves at once: " + e);
    }
    System.out.flush();
  }

  private String seconds() {
    return drain.toMillis() / 1000.0 + " s";
  }

  private void endAfterLimit() {
    try {
      TimeUnit.NANOSECONDS.sleep(drain.plus(LEAVE_LIMIT).toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().halt(Main.FAILED);
  }

  /** Leaves when the parent says so, or goes. Before joining: it may die meanwhile. */
  void watchParent() {
    startDaemon("parent-watch", this::awaitParent);
  }

  /**
   * Waits for the parent. It writes {@link #LEAVE} if this worker alone shall go. If the input just
   * ends, the parent is gone or stops all its workers at once: then there is nobody to hand over
   * to, and trying would only wait for the others that go too.
   */
  private void awaitParent() {
    StringBuilder said = new StringBuilder();
    try {
      int next = System.in.read();
      while (next >= 0 && !said.toString().equals(LEAVE)) {
        said.append((char) next);
        next = System.in.read();
      }
    } catch (IOException e) {
      // As good as its end.
    }
    abandoned = !said.toString().equals(LEAVE);
    System.exit(Main.OK);
  }

  private static void startDaemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }
}
