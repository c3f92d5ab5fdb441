package io.hazelgrad.grid.internal.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.grid.Eventually;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.TestGrids;
import io.hazelgrad.grid.fault.Faults;
import io.hazelgrad.grid.metrics.Metrics;
import io.hazelgrad.grid.spi.ClientConnection;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Workers and a client hammer calls on each other, with messages that get lost, come twice and come
 * late, with short deadlines, cancels and too little room; then nothing of it may be left. The seed
 * makes the same choices again, in whatever order threads come to make them.
 */
class HammerTest {
  private static final long SEED = Long.getLong("hazelgrad.seed", System.nanoTime());
  private static final long HAMMER_NANOS = TimeUnit.SECONDS.toNanos(3);
  private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final Duration PATIENT = Duration.ofMinutes(10);
  private static final int THREADS = 3;
  private static final int OUTSTANDING = 40;
  private static final String FUNCTION = "call.function";
  private static final List<String> WORKERS = List.of("a", "b", "c", "d");

  /** The ends of calls that each run has to see. */
  private static final Set<String> NEEDED =
      Set.of("value", "TIMEOUT", "CANCELLED", "REJECTED", "USER_ERROR", "BAD_VALUE");

  /** What a call may end with here; null stands for a value. */
  private static final Set<Status> EXPECTED =
      EnumSet.of(
          Status.TIMEOUT,
          Status.CANCELLED,
          Status.REJECTED,
          Status.USER_ERROR,
          Status.BAD_VALUE,
          Status.INTENTIONAL_FAILURE);

  private final TestGrids grids = new TestGrids();
  private final Map<String, Integer> outcomes = new ConcurrentHashMap<>();

  @AfterEach
  void end() {
    grids.close();
  }

  /** Somebody who calls: a worker, or the client. */
  private final class Hammerer implements Runnable {
    private final String name;
    private final Supplier<Rpc> rpc;
    private final boolean cancels;
    private final Random random;
    private final long endNanos;
    private final Deque<CompletableFuture<?>> outstanding = new ArrayDeque<>();
    private int count;

    Hammerer(String name, Supplier<Rpc> rpc, boolean cancels, int number, long endNanos) {
      this.name = name + "/" + number;
      this.rpc = rpc;
      this.cancels = cancels;
      this.random = new Random(SEED + 31L * name.charAt(0) + number);
      this.endNanos = endNanos;
    }

    @Override
    public void run() {
      while (goesOn(endNanos)) {
        CompletableFuture<?> call;
        try {
          call = call(name + " " + ++count);
        } catch (GridException e) {
          note(e.status());
          continue;
        }
        if (cancels && random.nextInt(4) == 0) {
          call.cancel(true);
        }
        outstanding.add(call);
        if (outstanding.size() >= OUTSTANDING) {
          CompletableFuture<?> oldest = outstanding.remove();
          if (cancels && random.nextInt(4) == 0) {
            oldest.cancel(true);
          }
          end(oldest);
        }
      }
      outstanding.forEach(this::end);
    }

    private CompletableFuture<?> call(String key) {
      String to = WORKERS.get(random.nextInt(WORKERS.size()));
      String next = WORKERS.get(random.nextInt(WORKERS.size()));
      Rpc rpc = this.rpc.get();
      Rpc within = rpc.within(Duration.ofMillis(1 + random.nextInt(300)));
      if (random.nextInt(3) == 0) {
        within = within.waitingWhenFull();
      }
      // A deadline that passes by itself would hide one that was forgotten.
      Rpc patient = cancels && random.nextBoolean() ? rpc.within(PATIENT) : within;
      int millis = random.nextInt(20);
      return switch (random.nextInt(8)) {
        case 0 -> patient.async(to, Hammered::hold, key, millis);
        case 1 -> patient.async(to, Function.async(Hammered::later), key, millis);
        case 2 -> within.async(to, Function.async(Hammered::never), key);
        case 3 -> within.async(to, Hammered::pass, key, next, to);
        case 4 -> patient.async(to, Hammered::fail, key);
        case 5 -> patient.async(to, Hammered::unsendable, key);
        default -> patient.async(to, Hammered::echo, key);
      };
    }

    private void end(CompletableFuture<?> call) {
      try {
        call.get(20, TimeUnit.SECONDS);
        outcomes.merge("value", 1, Integer::sum);
      } catch (CancellationException e) {
        note(Status.CANCELLED);
      } catch (ExecutionException e) {
        note(ExceptionMapper.of(e).status());
      } catch (InterruptedException | TimeoutException e) {
        throw new AssertionError("seed " + SEED + ": a call has not ended: " + call, e);
      }
    }

    private void note(Status status) {
      assertThat(EXPECTED).as("seed " + SEED).contains(status);
      outcomes.merge(status.name(), 1, Integer::sum);
    }
  }

  /** A slow machine gets more time until everything has happened that a call can end with. */
  private boolean goesOn(long endNanos) {
    long over = System.nanoTime() - endNanos;
    return over < 0 || (over < MOST_NANOS && !outcomes.keySet().containsAll(NEEDED));
  }

  @Test
  void callsLeaveNothingAfterFaultsDeadlinesAndCancels() throws Exception {
    System.out.println("HammerTest seed " + SEED);
    Hammered.RUNS.clear();
    List<Grid> workers = new ArrayList<>();
    for (String name : WORKERS) {
      workers.add(grids.join(HazelgradConfig.named(name).maxRunning(4).maxQueued(40)));
    }
    HazelcastInstance hazelcast = connect(workers.get(0));
    try (ClientConnection client =
        ClientConnection.over(
            hazelcast, config(workers.get(0)), HazelgradConfig.named("x").build())) {
      disturb(workers);
      hammer(workers, client);
      assertThat(client.outstandingCalls()).as("seed %s, the client's", SEED).isZero();
    } finally {
      hazelcast.shutdown();
    }
    System.out.println("HammerTest " + outcomes);
    assertThat(outcomes)
        .as("what happened, seed " + SEED)
        .containsKeys(NEEDED.toArray(String[]::new));
    assertThat(Hammered.RUNS.values()).as("seed " + SEED).allMatch(runs -> runs.get() == 1);
    for (Grid worker : workers) {
      awaitNothingLeft(worker);
    }
    for (Grid leaving : workers.subList(1, workers.size())) {
      leaving.hazelcast().getLifecycleService().terminate();
    }
    awaitCallers(workers.get(0));
  }

  /**
   * Lost messages for one worker only, which cancels nothing: who cancels a call that never came
   * waits ten seconds for what that did.
   */
  private static void disturb(List<Grid> workers) {
    Faults lossy = Faults.of(workers.get(0));
    lossy.on(FUNCTION).sometimes(0.1, SEED).dropRequest();
    lossy.on(FUNCTION).sometimes(0.1, SEED + 1).dropReply();
    for (Grid worker : workers) {
      Faults faults = Faults.of(worker);
      faults.onAny().sometimes(0.1, SEED + 2).duplicate();
      faults.onAny().sometimes(0.1, SEED + 3).delay(Duration.ofMillis(1));
      faults.onAny().sometimes(0.05, SEED + 4).delay(Duration.ofMillis(30));
      faults.on(FUNCTION).sometimes(0.02, SEED + 5).fail();
    }
  }

  private void hammer(List<Grid> workers, ClientConnection client) throws Exception {
    ExecutorService threads = Executors.newCachedThreadPool();
    long end = System.nanoTime() + HAMMER_NANOS;
    List<Future<?>> hammering = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      for (Grid worker : workers) {
        boolean cancels = worker != workers.get(0);
        hammering.add(
            threads.submit(new Hammerer(worker.worker().name(), worker::rpc, cancels, i, end)));
      }
      hammering.add(threads.submit(new Hammerer("x", client::rpc, true, i, end)));
    }
    threads.shutdown();
    for (Future<?> one : hammering) {
      one.get(60, TimeUnit.SECONDS);
    }
  }

  private static void awaitNothingLeft(Grid worker) {
    Map<String, Long> wanted =
        Map.of(
            "agent.requests_under_way", 0L,
            "agent.client_active_calls", 0L,
            "agent.client_unsettled_calls", 0L,
            "agent.server_active_calls", 0L,
            "agent.server_queued_calls", 0L,
            "agent.server_waiting_calls", 0L,
            "agent.num_idle_threads", 4L,
            "agent.deadlines", 0L);
    String name = worker.worker().name();
    long start = System.nanoTime();
    Map<String, Long> found;
    do {
      found = new TreeMap<>(Metrics.of(worker).figures());
      found.keySet().retainAll(wanted.keySet());
      LockSupport.parkNanos(2_000_000);
    } while (!found.equals(wanted) && System.nanoTime() - start < TimeUnit.SECONDS.toNanos(20));
    assertThat(found).as("seed %s, what is left on worker %s", SEED, name).isEqualTo(wanted);
  }

  /** When all others have gone, the only caller that is remembered is the worker itself. */
  private static void awaitCallers(Grid last) {
    Eventually.until(
        "seed " + SEED + ": the windows of those that left went",
        () -> Metrics.of(last).figures().get("agent.server_known_callers") == 1);
  }

  private static ClientConfig config(Grid worker) {
    ClientConfig config = new ClientConfig();
    config.setClusterName(worker.hazelcast().getConfig().getClusterName());
    int port = worker.hazelcast().getCluster().getLocalMember().getAddress().getPort();
    config.getNetworkConfig().addAddress("127.0.0.1:" + port);
    config.setProperty("hazelcast.logging.type", "slf4j");
    return config;
  }

  private static HazelcastInstance connect(Grid worker) {
    return HazelcastClient.newHazelcastClient(ClientConnection.prepare(config(worker)));
  }
}
