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

/**
 * Works at random with references, on one worker or in one client, and reports every half second to
 * the {@link Desk}, which says when to stop. There is one in each JVM.
 */
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

  // ---- What the test calls.

  /** Begins to work on the called worker, unless an agent does so already. */
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

  /** Returns whether an agent is at work on the called worker. */
  static boolean isAtWork() {
    return current != null;
  }

  static int livingStones() {
    return Stone.living();
  }

  // ---- What agents call on each other.

  static long twice(long value) {
    return 2 * value;
  }

  /** Takes a reference from another agent; without an agent it is let go at the call's end. */
  static void take(Parcel parcel) {
    Agent agent = current;
    if (agent != null && agent.phase == Desk.Phase.WORK) {
      agent.bag.put(parcel.keep());
    }
  }

  /** Gives another agent a reference; null if there is none. */
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

  /** Hits a stone through a reference that goes on along a route of workers. */
  static long[] relay(Parcel parcel, List<String> route) {
    if (route.isEmpty()) {
      return parcel.stones().get(0).within(Work.PATIENCE).sync(Stone::hit);
    }
    return Grid.current()
        .rpc()
        .within(Work.PATIENCE)
        .sync(route.get(0), Agent::relay, parcel, route.subList(1, route.size()));
  }

  // ---- Its life.

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
        // It is cut off, and reports later.
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
