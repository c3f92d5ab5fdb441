package io.hazelgrad.tests.chaos;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Works at random with references on one worker: makes stones, hands them on, reads them, puts one
 * into another, lets them go. It knows of each reference which stone it must lead to.
 *
 * <p>What may go wrong is written down beside each step; anything else is a wrong.
 */
@RemoteFunctions
final class Agent {
  /** A reference that this worker holds, and the stone that it leads to. */
  private record Holding(RRef<Stone> rref, long id) {}

  private static final int THREADS = 2;
  private static final int MOST = 60;
  private static final int FEW = 10;
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** The agent of this JVM. */
  private static volatile @Nullable Agent current;

  private final Grid grid;
  private final Random seeds;
  private final List<Thread> threads = new ArrayList<>();
  private final List<Holding> bag = new ArrayList<>();
  private final Map<String, Long> done = new TreeMap<>();
  private final Map<String, Long> failed = new TreeMap<>();
  private final List<String> wrong = new ArrayList<>();
  private volatile boolean stopping;

  /** Nothing is kept any more; under the lock. */
  private boolean over;

  private Agent(Grid grid, long seed) {
    this.grid = grid;
    this.seeds = new Random(seed);
  }

  // ---- What the test calls.

  /** Begins to work on the called worker. */
  static void start(long seed) {
    begin(Grid.current(), seed);
  }

  /** The same for the test's own JVM. */
  static synchronized void begin(Grid grid, long seed) {
    if (current != null) {
      throw new IllegalStateException("an agent is at work here already");
    }
    Agent agent = new Agent(grid, seed);
    current = agent;
    for (int i = 0; i < THREADS; i++) {
      long own = agent.seeds.nextLong();
      Thread thread = new Thread(() -> agent.work(new Random(own)), "chaos-agent-" + i);
      thread.setDaemon(true);
      agent.threads.add(thread);
      thread.start();
    }
  }

  /** Returns whether an agent is at work on the called worker. */
  static boolean isAtWork() {
    return current != null;
  }

  /** Ends the work on the called worker, lets all references go, and says what was done. */
  static Tally stop() throws InterruptedException {
    Agent agent = current;
    if (agent == null) {
      return Tally.none();
    }
    agent.stopping = true;
    for (Thread thread : agent.threads) {
      thread.join(Duration.ofSeconds(60).toMillis());
      if (thread.isAlive()) {
        agent.wrong(thread.getName() + " did not end: " + List.of(thread.getStackTrace()));
      }
    }
    current = null;
    synchronized (agent) {
      agent.over = true;
      agent.bag.forEach(holding -> holding.rref().close());
      agent.bag.clear();
      return new Tally(
          Map.copyOf(agent.done), Map.copyOf(agent.failed), List.copyOf(agent.wrong));
    }
  }

  // ---- What agents call on each other.

  /** Takes a reference from another agent; without an agent it is let go at the call's end. */
  static void take(RRef<Stone> rref, long id) {
    Agent agent = current;
    if (agent != null && !agent.stopping) {
      agent.keep(new Holding(rref.keep(), id));
    }
  }

  /** Gives another agent a reference, and the id of its stone; an empty list if there is none. */
  static List<Object> give() {
    Agent agent = current;
    Holding given = agent == null ? null : agent.draw(new Random());
    if (agent == null || given == null) {
      return List.of();
    }
    agent.keep(given); // Forked for the caller all the same, as long as it is not closed.
    return List.of(given.rref(), given.id());
  }

  // ---- The work.

  private void work(Random random) {
    while (!stopping && !grid.isClosed()) {
      String kind = "?";
      try {
        int dice = random.nextInt(100);
        if (dice < 25) {
          kind = "make";
          make(random);
        } else if (dice < 35) {
          kind = "wrap";
          wrap(random);
        } else if (dice < 50) {
          kind = "hand on";
          handOn(random);
        } else if (dice < 60) {
          kind = "ask for";
          askFor(random);
        } else if (dice < 75) {
          kind = "read";
          read(random);
        } else if (dice < 90) {
          kind = "call";
          call(random);
        } else {
          kind = "let go";
          letGo(random);
        }
        count(done, kind);
      } catch (GridException e) {
        refused(kind, e);
      } catch (RuntimeException | Error e) {
        wrong(kind + ": " + e + " at " + List.of(e.getStackTrace()).subList(0, 5));
      }
      if (size() > MOST) {
        letGo(random);
      }
    }
  }

  private void refused(String kind, GridException e) {
    count(failed, e.status().name());
    switch (e.status()) {
      case WORKER_LOST, UNKNOWN_WORKER, REJECTED, TIMEOUT, CLOSED -> {}
      case RREF_LOST, RREF_FAILED, RREF_TIMED_OUT -> {}
      case RREF_CLOSED -> { // Another thread there may let go what it is about to give.
        if (!kind.equals("ask for")) {
          wrong(kind + ": " + e);
        }
      }
      default -> wrong(kind + ": " + e);
    }
  }

  private void make(Random random) {
    long id = random.nextLong();
    keep(new Holding(RRefs.on(grid).remote(anybody(random), Stone::plain, id), id));
  }

  private void wrap(Random random) {
    Holding inner = draw(random);
    if (inner == null) {
      return;
    }
    try {
      long id = random.nextLong();
      RRef<Stone> outer =
          RRefs.on(grid).remote(anybody(random), Stone::around, id, inner.rref(), inner.id());
      keep(new Holding(outer, id));
    } finally {
      keep(inner);
    }
  }

  private void handOn(Random random) {
    using(
        random,
        holding ->
            grid.rpc()
                .within(PATIENCE)
                .sync(
                    anybody(random),
                    Function.action(Agent::take),
                    holding.rref(),
                    holding.id()));
  }

  private void askFor(Random random) {
    List<Object> given = grid.rpc().within(PATIENCE).sync(anybody(random), Agent::give);
    if (given.size() == 2 && given.get(0) instanceof RRef<?> rref) {
      // A stone's, since only those are given.
      @SuppressWarnings("unchecked")
      RRef<Stone> stone = (RRef<Stone>) rref;
      keep(new Holding(stone, (Long) given.get(1)));
    }
  }

  private void read(Random random) {
    using(
        random,
        holding -> {
          Stone stone = holding.rref().within(PATIENCE).toHere();
          check(stone.id(), holding.id(), "read");
          RRef<Stone> inner = stone.inner();
          if (inner != null && !holding.rref().isOwner()) { // There it is the stone's own handle.
            keep(new Holding(inner, stone.innerId()));
          }
        });
  }

  private void call(Random random) {
    using(
        random,
        holding ->
            check(holding.rref().within(PATIENCE).sync(Stone::id), holding.id(), "called"));
  }

  private void letGo(Random random) {
    Holding holding = size() > FEW ? draw(random) : null;
    if (holding != null) {
      holding.rref().close();
    }
  }

  private void check(long found, long expected, String how) {
    if (found != expected) {
      wrong("stone " + expected + " was " + how + " as " + found);
    }
  }

  /** Works with a reference that nobody else uses meanwhile; one that is lost is let go. */
  private void using(Random random, java.util.function.Consumer<Holding> work) {
    Holding holding = draw(random);
    if (holding == null) {
      return;
    }
    boolean lost = false;
    try {
      work.accept(holding);
    } catch (GridException e) {
      lost =
          e.status() == Status.RREF_LOST
              || e.status() == Status.RREF_FAILED
              || e.status() == Status.RREF_TIMED_OUT;
      throw e;
    } finally {
      if (lost) {
        holding.rref().close();
      } else {
        keep(holding);
      }
    }
  }

  private String anybody(Random random) {
    List<Worker> workers = grid.workers();
    return workers.get(random.nextInt(workers.size())).name();
  }

  private synchronized @Nullable Holding draw(Random random) {
    return bag.isEmpty() ? null : bag.remove(random.nextInt(bag.size()));
  }

  private synchronized void keep(Holding holding) {
    if (over) {
      holding.rref().close();
    } else {
      bag.add(holding);
    }
  }

  private synchronized int size() {
    return bag.size();
  }

  private synchronized void count(Map<String, Long> counts, String what) {
    counts.merge(what, 1L, Long::sum);
  }

  private synchronized void wrong(String what) {
    if (wrong.size() < 20) {
      wrong.add(grid.worker().name() + ": " + what);
    }
  }
}
