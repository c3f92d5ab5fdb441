package io.hazelgrad.tests.chaos;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.tests.Seat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Worker thread that uses references at random, on one worker or in one client. It reports every 500 ms to the {@link Desk}, which answers with the phase of the test. Each JVM has one agent. */
@RemoteFunctions
final class Agent {
  private static final int THREADS = 2;
  private static final Duration REPORT_PATIENCE = Duration.ofSeconds(2);
  private static final long REPORT_NANOS = 500_000_000;
  private static final long END_MILLIS = 90_000;

  private static volatile @Nullable Agent current;

  private final Seat seat;
  private final String name;
  private final Book book;
  private final Bag bag = new Bag();
  private final Work work;
  private final List<Thread> threads = new ArrayList<>();
  private volatile Desk.Phase phase = Desk.Phase.WORK;
  private volatile Desk.Phase over = Desk.Phase.WORK;

  private Agent(Seat seat, Random seeds) {
    this.seat = seat;
    this.name = name(seat.name(), ProcessHandle.current().pid());
    this.book = new Book(name);
    this.work = new Work(seat, book, bag);
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
  static String name(String seat, long pid) {
    return seat + "@" + pid;
  }

  // ---- Functions that the test calls.

  /** Starts an agent on the called worker, unless one runs there already. */
  static void start(long seed) {
    begin(Seat.of(Grid.current()), seed);
  }

  static synchronized void begin(Seat seat, long seed) {
    Agent before = current;
    if (before == null || before.over == Desk.Phase.RELEASE) {
      Agent agent = new Agent(seat, new Random(seed));
      current = agent;
      agent.threads.forEach(Thread::start);
      daemon("chaos-report", agent::report).start();
    }
  }

  /** Returns whether an agent runs on the called worker. */
  static boolean isAtWork() {
    return current != null;
  }

  static int livingStones() {
    return Stone.living();
  }

  // ---- Functions that agents call on each other.

  static long twice(long value) {
    return 2 * value;
  }

  /** Takes references from another agent. Without an agent here, they are released when the call ends. */
  static void take(Parcel parcel) {
    Agent agent = current;
    if (agent != null && agent.phase == Desk.Phase.WORK) {
      agent.bag.put(parcel.keep());
    }
  }

  /** Returns references for another agent; null if there are none. */
  static @Nullable Parcel give() {
    Agent agent = current;
    Holding given = agent == null ? null : agent.bag.draw(new Random());
    if (agent == null || given == null) {
      return null;
    }
    given.lend();
    agent.bag.put(given);
    return Parcel.of(given);
  }

  /** Hits a stone through references that travel along a route of workers. */
  static long[] relay(Parcel parcel, List<String> route) {
    if (route.isEmpty()) {
      return parcel.stones().get(0).within(Work.PATIENCE).sync(Stone::hit);
    }
    return Grid.current()
        .rpc()
        .within(Work.PATIENCE)
        .sync(route.get(0), Agent::relay, parcel, route.subList(1, route.size()));
  }

  // ---- The agent's thread.

  private void work(Random random) {
    while (phase == Desk.Phase.WORK && !seat.isLeft()) {
      work.once(random);
    }
  }

  private void report() {
    while (!seat.isLeft()) {
      if (phase.compareTo(over) > 0) {
        follow();
      }
      try {
        phase =
            seat.rpc()
                .within(REPORT_PATIENCE)
                .sync(JvmCluster.DRIVER, Function.of(Desk::report), name, book.tally(), over);
        if (over == Desk.Phase.RELEASE) {
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
    Desk.Phase asked = phase;
    try {
      for (Thread thread : threads) {
        thread.join(END_MILLIS);
        if (thread.isAlive()) {
          book.wrong(thread.getName() + " did not end: " + List.of(thread.getStackTrace()));
        }
      }
      work.awaitEnds();
      if (asked == Desk.Phase.CHECK) {
        work.checkAll();
      } else {
        bag.empty();
      }
    } catch (InterruptedException e) {
      book.wrong("interrupted");
    } catch (RuntimeException | Error e) {
      book.wrong(asked.toString(), e);
    }
    over = asked;
  }
}
