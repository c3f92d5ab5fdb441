package io.hazelgrad.tests.chaos;

import com.hazelcast.core.HazelcastException;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.Causes;
import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.internal.protocol.Entry;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.tests.TestDriver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Kinds of work of an agent: create counters, send their references in all ways, read them, hit
 * them, put one into another, release them, and differentiate along workers. It knows for each
 * handle the counter and the smallest possible number of its hits.
 *
 * <p>{@link FailureRules} decides which failures of open handles are allowed. All others are wrong.
 */
final class RandomWork {
  static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final Duration LAST_PATIENCE = Duration.ofSeconds(45);
  private static final int TENSOR = 1 << 19;
  private static final int MOST = 60;
  private static final int FEW = 10;
  private static final int MOST_HOPS = 3;
  private static final int MOST_HITS = 5;
  private static final int PAUSE_MICROS = 60_000;
  private static final List<String> WORKERS = List.of("A", "B", "C", "D", "E", JvmCluster.DRIVER);

  private static final String DIFFERENTIATE = "differentiate";

  /** Piece of work; returns whether it had handles to work with. */
  @FunctionalInterface
  private interface Piece {
    boolean run(Random random);
  }

  /** Kind of work with its share of all work in percent. */
  private record Kind(String name, int share, Piece piece) {
    /** Returns whether it measures its waits itself, because it has several. */
    boolean timesItself() {
      return name.equals(DIFFERENTIATE);
    }
  }

  private final TestDriver driver;
  private final ResultLog results;
  private final FailureRules rules;
  private final HandlePool pool;
  private final PauseDetector pauses = new PauseDetector();
  private final List<Kind> kinds = new ArrayList<>();

  /** Futures that have not ended, by number, with their kind of work. */
  private final Map<Long, String> underWay = new ConcurrentHashMap<>();

  private final AtomicLong futures = new AtomicLong();

  RandomWork(TestDriver driver, ResultLog results, HandlePool pool) {
    this.driver = driver;
    this.results = results;
    this.rules = new FailureRules(driver, results);
    this.pool = pool;
    kinds.add(new Kind("plain call", 5, this::plainCall));
    kinds.add(new Kind("tensor", 3, this::sendTensor));
    kinds.add(new Kind(DIFFERENTIATE, 8, this::differentiate));
    kinds.add(new Kind("make", 20, this::make));
    kinds.add(new Kind("make durable", 6, this::makeDurable));
    kinds.add(new Kind("checkpoint", 5, this::checkpoint));
    kinds.add(new Kind("wrap", 8, this::wrap));
    kinds.add(new Kind("make beside", 5, this::makeBeside));
    kinds.add(new Kind("hand on", 15, this::handOn));
    kinds.add(new Kind("relay", 7, this::relay));
    kinds.add(new Kind("ask for", 10, this::askFor));
    kinds.add(new Kind("read", 8, this::read));
    kinds.add(new Kind("read later", 7, this::readLater));
    kinds.add(new Kind("hit", 15, this::hit));
    kinds.add(new Kind("ask for the type", 3, this::askForType));
    kinds.add(new Kind("let go", 10, this::letGo));
    if (driver.isWorker()) {
      kinds.add(new Kind("count forks", 5, random -> using(random, this::countForks)));
      kinds.add(new Kind("make here", 8, this::makeHere));
    }
  }

  void once(Random random) {
    Kind kind = choose(random);
    long start = pauses.nanoTime();
    long from = System.nanoTime();
    long self = driver.self().id();
    try {
      if (kind.piece().run(random)) {
        results.done(kind.name());
      }
    } catch (GridException e) {
      rules.refused(kind.name(), from, self, e);
    } catch (RuntimeException | Error e) {
      results.wrong(kind.name(), e);
    }
    if (!kind.timesItself()) {
      results.took(kind.name(), pauses.nanoTime() - start);
    }
    results.stalled(pauses.longestStall());
    while (pool.size() > MOST && letGo(random)) {
      results.done("let go");
    }
    LockSupport.parkNanos(1_000L * random.nextInt(PAUSE_MICROS));
  }

  private Kind choose(Random random) {
    int dice = random.nextInt(kinds.stream().mapToInt(Kind::share).sum());
    for (Kind kind : kinds) {
      dice -= kind.share();
      if (dice < 0) {
        return kind;
      }
    }
    throw new AssertionError(dice);
  }

  // ---- Kinds of work.

  private boolean plainCall(Random random) {
    long value = random.nextInt();
    long twice = driver.rpc().within(PATIENCE).sync(anybody(random), Agent::twice, value);
    if (twice != 2 * value) {
      results.wrong("twice " + value + " was " + twice);
    }
    return true;
  }

  /** Sends a tensor that is too large for a message, there and back. */
  private boolean sendTensor(Random random) {
    float[] values = new float[TENSOR];
    Arrays.fill(values, random.nextInt(TENSOR));
    Tensor back =
        driver
            .rpc()
            .within(PATIENCE)
            .sync(anybody(random), Agent::echo, Tensor.of(values.clone(), TENSOR));
    for (int i = 0; i < TENSOR; i++) {
      if (back.storage().getDouble(i) != values[i]) {
        results.wrong("element " + i + " of a tensor was " + back.storage().getDouble(i));
        break;
      }
    }
    back.release();
    return true;
  }

  private boolean differentiate(Random random) {
    List<String> route = new ArrayList<>();
    for (int hops = 1 + random.nextInt(MOST_HOPS); hops > 0; hops--) {
      route.add(anybody(random));
    }
    new GradientChain(driver, results, pauses, route, 1 + random.nextInt(FEW)).differentiate();
    return true;
  }

  private boolean make(Random random) {
    long id = random.nextLong();
    RRef<HitCounter> made =
        driver.rrefs().remote(PATIENCE, anybody(random), Function.of(HitCounter::plain), id);
    return made(made, id);
  }

  private boolean makeDurable(Random random) {
    long id = random.nextLong();
    Durability durability = random.nextBoolean() ? Durability.EVERY_REPLY : Durability.ON_REQUEST;
    RRef<HitCounter> made =
        driver
            .rrefs()
            .durable(durability)
            .remote(PATIENCE, anybody(random), Function.of(HitCounter::plain), id);
    await("creation of " + made, made.creation());
    pool.put(new HeldHandle(made, id, 0, durability == Durability.ON_REQUEST));
    return true;
  }

  /** Makes a checkpoint. The owner cannot lose hits that the counter returned before it. */
  private boolean checkpoint(Random random) {
    return using(
        random,
        holding -> {
          if (holding.rref().isDurable()) {
            RRef<HitCounter> rref = holding.rref().within(PATIENCE);
            long owner = rref.owner().id();
            long[] hit = new long[2];
            rules.hit(
                holding,
                () -> {
                  long[] answer = rref.sync(HitCounter::hit);
                  hit[1] = answer[1];
                  return answer;
                });
            rref.checkpoint();
            if (rref.owner().id() == owner) {
              holding.remember(hit[1]);
            }
          }
        });
  }

  private boolean makeHere(Random random) {
    long id = random.nextLong();
    HitCounter counter = HitCounter.plain(id);
    try {
      pool.put(new HeldHandle(driver.rrefs().local(counter), id, 0, false));
    } catch (GridException e) {
      counter.close(); // The handle is still ours.
      throw e;
    }
    return true;
  }

  private boolean wrap(Random random) {
    return using(
        random,
        inner -> {
          long id = random.nextLong();
          RRef<HitCounter> outer =
              driver
                  .rrefs()
                  .remote(
                      PATIENCE,
                      anybody(random),
                      Function.of(HitCounter::around),
                      id,
                      inner.rref(),
                      inner.id(),
                      inner.isForgetful());
          made(outer, id);
        });
  }

  private boolean makeBeside(Random random) {
    return using(
        random,
        holding -> {
          long id = random.nextLong();
          made(holding.rref().within(PATIENCE).remote(HitCounter::beside, id), id);
        });
  }

  private boolean made(RRef<HitCounter> made, long id) {
    await("creation of " + made, made.creation());
    pool.put(new HeldHandle(made, id, 0, false));
    return true;
  }

  private boolean handOn(Random random) {
    return using(
        random,
        holding ->
            driver
                .rpc()
                .within(PATIENCE)
                .sync(anybody(random), Function.action(Agent::take), ReferenceBundle.of(holding)));
  }

  private boolean relay(Random random) {
    return using(
        random,
        holding -> {
          List<String> route = new ArrayList<>();
          for (int hops = random.nextInt(MOST_HOPS); hops > 0; hops--) {
            route.add(anybody(random));
          }
          String first = anybody(random);
          rules.hit(
              holding,
              () ->
                  driver
                      .rpc()
                      .within(PATIENCE)
                      .sync(first, Agent::relay, ReferenceBundle.of(holding), route));
        });
  }

  private boolean askFor(Random random) {
    ReferenceBundle given = driver.rpc().within(PATIENCE).sync(anybody(random), Agent::give);
    if (given != null) {
      pool.put(given.keep());
    }
    return given != null;
  }

  private boolean read(Random random) {
    return using(
        random,
        holding -> {
          HistoryLog.Use use = HistoryLog.here().read(holding);
          HitCounter counter = holding.rref().within(PATIENCE).toHere();
          use.returned(counter.hits());
          wasRead(holding, counter);
        });
  }

  private boolean readLater(Random random) {
    HeldHandle holding = pool.draw(random);
    if (holding == null) {
      return false;
    }
    long from = System.nanoTime();
    try {
      long self = driver.self().id();
      HistoryLog.Use use = HistoryLog.here().read(holding);
      await(
          "read later of " + holding.rref(),
          holding
              .rref()
              .within(PATIENCE)
              .toHereAsync()
              .handle(
                  (counter, failure) -> {
                    if (failure == null) {
                      use.returned(counter.hits());
                    }
                    ended(
                        "read later",
                        from,
                        self,
                        holding,
                        failure == null ? () -> wasRead(holding, counter) : () -> rethrow(failure));
                    return null;
                  }));
    } catch (GridException e) {
      ended("read later", from, driver.self().id(), holding, () -> rethrow(e));
      return false;
    }
    return true;
  }

  private boolean hit(Random random) {
    return using(
        random,
        holding -> {
          for (int hits = 1 + random.nextInt(MOST_HITS); hits > 0; hits--) {
            rules.hit(holding, () -> holding.rref().within(PATIENCE).sync(HitCounter::hit));
          }
        });
  }

  private boolean askForType(Random random) {
    return using(
        random,
        holding -> {
          String type = holding.rref().within(PATIENCE).type();
          if (!HitCounter.class.getName().equals(type)) {
            results.wrong("a counter was of type " + type);
          }
        });
  }

  /** Notes how many forks the registry has of a counter that was shared. */
  private void countForks(HeldHandle holding) {
    if (driver.access() instanceof Grid grid) {
      long from = System.nanoTime();
      try {
        Object entry =
            grid.hazelcast()
                .getMap("hazelgrad.rrefs")
                .getAsync(holding.rref().id())
                .toCompletableFuture()
                .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        if (entry instanceof Entry known) {
          HistoryLog.here().counted(from, holding.id(), known.forkCount());
        }
      } catch (ExecutionException | TimeoutException | HazelcastException e) {
        // The member leaves, or the one that stores the entry is silent.
      } catch (InterruptedException e) {
        throw new IllegalStateException("nobody interrupts a test", e);
      }
    }
  }

  private boolean letGo(Random random) {
    HeldHandle holding = pool.size() > FEW ? pool.draw(random) : null;
    if (holding != null) {
      pool.discard(holding);
    }
    return holding != null;
  }

  // ---- Common parts.

  private void wasRead(HeldHandle holding, HitCounter counter) {
    rules.wasRead(holding, counter);
    RRef<HitCounter> inner = counter.inner();
    if (inner != null && !holding.rref().isOwner()) { // There it is the counter's own handle.
      pool.put(new HeldHandle(inner, counter.innerId(), 0, counter.isInnerForgetful()));
    }
  }

  /**
   * Works with a handle that is not used elsewhere meanwhile; closes it if it is of no more use.
   */
  private boolean using(Random random, java.util.function.Consumer<HeldHandle> work) {
    HeldHandle holding = pool.draw(random);
    if (holding == null) {
      return false;
    }
    boolean useless = false;
    try {
      work.accept(holding);
    } catch (GridException e) {
      useless = rules.isUseless(holding, e);
      throw e;
    } finally {
      putBack(holding, useless);
    }
    return true;
  }

  private void ended(String kind, long from, long self, HeldHandle holding, Runnable outcome) {
    boolean useless = false;
    try {
      outcome.run();
    } catch (GridException e) {
      useless = rules.isUseless(holding, e);
      rules.refused(kind, from, self, e);
    } catch (RuntimeException | Error e) {
      results.wrong(kind, e);
    }
    putBack(holding, useless);
  }

  private void putBack(HeldHandle holding, boolean useless) {
    if (useless || holding.rref().isClosed()) {
      pool.discard(holding);
    } else {
      pool.put(holding);
    }
  }

  private static void rethrow(Throwable failure) {
    Throwable cause = Causes.of(failure);
    if (cause instanceof GridException known) {
      throw known;
    }
    throw new IllegalStateException(cause);
  }

  private static String anybody(Random random) {
    return WORKERS.get(random.nextInt(WORKERS.size()));
  }

  // ---- End of the test.

  private void await(String what, CompletableFuture<?> future) {
    long number = futures.incrementAndGet();
    underWay.put(number, what);
    var unused = future.whenComplete((value, failure) -> underWay.remove(number));
  }

  /** Waits until every future has ended. */
  void awaitEnds() {
    Await.until(
        LAST_PATIENCE,
        () -> underWay.isEmpty() ? "" : "these futures have ended: " + underWay.values());
  }

  /**
   * Checks that every worker takes part in passes of this one, and that every handle leads to its
   * counter unless the counter's owner is gone.
   */
  void checkAll() {
    for (Worker worker : driver.workers()) {
      try {
        new GradientChain(driver, results, pauses, List.of(worker.name()), 1).differentiate();
        results.done("check of passes");
      } catch (RuntimeException | Error e) {
        results.wrong("check of passes with " + worker, e);
      }
    }
    for (HeldHandle holding : pool.all()) {
      long from = System.nanoTime();
      try {
        rules.hit(holding, () -> holding.rref().within(LAST_PATIENCE).sync(HitCounter::hit));
        countForks(holding);
        results.done("check");
      } catch (GridException e) {
        results.failed("check", from, e);
        if (!rules.isUseless(holding, e)) {
          results.wrong("check of counter " + holding.id() + ", " + holding.rref(), e);
        }
      } catch (RuntimeException | Error e) {
        results.wrong("check of counter " + holding.id(), e);
      }
    }
  }
}
