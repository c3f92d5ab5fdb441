package io.hazelgrad.tests.chaos;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.tests.TestDriver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Worker thread that uses references at random, on one worker or in one client. It reports every
 * 500 ms to the {@link Coordinator}, which answers with the phase of the test. Each JVM has one
 * agent.
 */
@RemoteFunctions
final class Agent {
  private static final int THREADS = 2;
  private static final Duration REPORT_PATIENCE = Duration.ofSeconds(2);
  private static final long REPORT_NANOS = 500_000_000;
  private static final long END_MILLIS = 90_000;

  private static volatile @Nullable Agent current;

  private final TestDriver driver;
  private final String name;
  private final ResultLog results;
  private final HandlePool pool = new HandlePool();
  private final RandomWork work;
  private final List<Thread> threads = new ArrayList<>();
  private volatile Coordinator.Phase phase = Coordinator.Phase.WORK;
  private volatile Coordinator.Phase over = Coordinator.Phase.WORK;

  private Agent(TestDriver driver, Random seeds) {
    this.driver = driver;
    this.name = name(driver.name(), ProcessHandle.current().pid());
    HistoryLog.here().process(driver.name());
    this.results = new ResultLog(name);
    this.work = new RandomWork(driver, results, pool);
    for (int i = 0; i < THREADS; i++) {
      long seed = seeds.nextLong();
      threads.add(daemon("chaos-agent-" + i, () -> work(new Random(seed))));
    }
  }

  private static Thread daemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }

  /** Returns the name of the agent in a process. */
  static String name(String driver, long pid) {
    return driver + "@" + pid;
  }

  // ---- Functions that the test calls.

  /** Starts an agent on the called worker, unless one runs there already. */
  static void start(long seed) {
    begin(TestDriver.of(Grid.current()), seed);
  }

  static synchronized void begin(TestDriver driver, long seed) {
    Agent before = current;
    if (before == null || before.over == Coordinator.Phase.RELEASE) {
      Agent agent = new Agent(driver, new Random(seed));
      current = agent;
      agent.threads.forEach(Thread::start);
      daemon("chaos-report", agent::report).start();
    }
  }

  /** Returns whether an agent runs on the called worker. */
  static boolean isAtWork() {
    return current != null;
  }

  static int livingCounters() {
    return HitCounter.living();
  }

  // ---- Functions that agents call on each other.

  static long twice(long value) {
    return 2 * value;
  }

  static Tensor echo(Tensor tensor) {
    return tensor;
  }

  /**
   * Takes references from another agent. Without an agent here, they are released when the call
   * ends.
   */
  static void take(ReferenceBundle bundle) {
    Agent agent = current;
    if (agent != null && agent.phase == Coordinator.Phase.WORK) {
      agent.pool.put(bundle.keep());
    }
  }

  /** Returns references for another agent; null if there are none. */
  static @Nullable ReferenceBundle give() {
    Agent agent = current;
    HeldHandle given = agent == null ? null : agent.pool.draw(new Random());
    if (agent == null || given == null) {
      return null;
    }
    given.lend();
    agent.pool.put(given);
    return ReferenceBundle.of(given);
  }

  /** Hits a counter through references that travel along a route of workers. */
  static long[] relay(ReferenceBundle bundle, List<String> route) {
    if (route.isEmpty()) {
      return bundle.counters().get(0).within(RandomWork.PATIENCE).sync(HitCounter::hit);
    }
    return Grid.current()
        .rpc()
        .within(RandomWork.PATIENCE)
        .sync(route.get(0), Agent::relay, bundle, route.subList(1, route.size()));
  }

  // ---- The agent's thread.

  private void work(Random random) {
    while (phase == Coordinator.Phase.WORK && !driver.isLeft()) {
      work.once(random);
    }
  }

  private void report() {
    while (!driver.isLeft()) {
      if (phase.compareTo(over) > 0) {
        follow();
      }
      try {
        phase =
            driver
                .rpc()
                .within(REPORT_PATIENCE)
                .sync(
                    JvmCluster.DRIVER,
                    Function.of(Coordinator::report),
                    name,
                    results.counts(),
                    over);
        if (over == Coordinator.Phase.RELEASE) {
          return;
        }
      } catch (GridException e) {
        // The worker is cut off. The agent reports later.
      }
      LockSupport.parkNanos(REPORT_NANOS);
    }
  }

  /** Does what the present phase asks for. */
  private void follow() {
    Coordinator.Phase asked = phase;
    try {
      for (Thread thread : threads) {
        thread.join(END_MILLIS);
        if (thread.isAlive()) {
          results.wrong(thread.getName() + " did not end: " + List.of(thread.getStackTrace()));
        }
      }
      work.awaitEnds();
      if (asked == Coordinator.Phase.CHECK) {
        work.checkAll();
      } else {
        pool.empty();
      }
    } catch (InterruptedException e) {
      results.wrong("interrupted");
    } catch (RuntimeException | Error e) {
      results.wrong(asked.toString(), e);
    }
    over = asked;
  }
}
