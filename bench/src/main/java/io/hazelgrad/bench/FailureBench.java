package io.hazelgrad.bench;

import com.hazelcast.cluster.MembershipAdapter;
import com.hazelcast.cluster.MembershipEvent;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.launcher.LocalCluster;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Measures the time until a killed process is noticed: by callers that wait for its objects, and by
 * owners of objects to which it had forks. Each round kills and restarts a worker; the figures are
 * medians.
 */
final class FailureBench {
  private static final int ROUNDS = 5;
  private static final int WAITS = 100;
  private static final int FORKS = 100;
  private static final String HEARTBEAT = "hazelcast.max.no.heartbeat.seconds";

  private final Grid grid;
  private final String survivor;
  private final String victim;
  private final LocalCluster processes;
  private final Consumer<Figure> figures;

  FailureBench(Grid grid, List<String> others, LocalCluster processes, Consumer<Figure> figures) {
    this.grid = grid;
    this.survivor = others.get(0);
    this.victim = others.get(1);
    this.processes = processes;
    this.figures = figures;
  }

  void run() {
    List<long[]> owners = new ArrayList<>();
    List<long[]> holders = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      owners.add(ownerDies());
      holders.add(holderDies());
    }
    Map<String, Object> waits = Map.of("waits", 2 * WAITS, HEARTBEAT, heartbeat());
    Map<String, Object> forks = Map.of("forks", FORKS, HEARTBEAT, heartbeat());
    figures.accept(median("owner_death_to_member_removed", waits, owners, 0));
    figures.accept(median("owner_death_to_last_future_failed", waits, owners, 1));
    figures.accept(median("holder_death_to_member_removed", forks, holders, 0));
    figures.accept(median("holder_death_to_last_fork_reclaimed", forks, holders, 1));
  }

  /** Half of the waits are here, half on another worker, which replies when its last has ended. */
  private long[] ownerDies() {
    try (RRef<Variable> never =
        RRefs.on(grid).remote(victim, Function.async(BenchFunctions::never))) {
      List<CompletableFuture<?>> waits = new ArrayList<>();
      for (int i = 0; i < WAITS; i++) {
        waits.add(never.toHereAsync());
      }
      waits.add(
          grid.rpc().async(survivor, Function.async(BenchFunctions::awaitOften), never, WAITS));
      Polling.until(
          "all wait for the owner",
          () -> grid.rpc().sync(victim, BenchFunctions::activeCalls) > 2 * WAITS);
      Removal removal = new Removal(grid.worker(victim));
      long start = System.nanoTime();
      CompletableFuture<Long> last =
          CompletableFuture.allOf(waits.toArray(new CompletableFuture<?>[0]))
              .handle((nothing, failure) -> System.nanoTime());
      processes.kill(victim);
      long[] times = {removal.await() - start, last.join() - start};
      restart();
      return times;
    }
  }

  private long[] holderDies() {
    grid.rpc().sync(victim, Function.action(BenchFunctions::holdReferencesOn), survivor, FORKS);
    Polling.until("all forks are known", () -> objects() == FORKS);
    Removal removal = new Removal(grid.worker(victim));
    long start = System.nanoTime();
    processes.kill(victim);
    Polling.until("all forks are gone", () -> objects() == 0);
    long end = System.nanoTime();
    long[] times = {removal.await() - start, end - start};
    restart();
    return times;
  }

  private int objects() {
    return grid.rpc().sync(survivor, BenchFunctions::objects);
  }

  private void restart() {
    processes.startWorker(victim);
    Polling.until(
        "the worker is back",
        () -> grid.workers().stream().map(Worker::name).anyMatch(victim::equals));
  }

  private String heartbeat() {
    String set = grid.hazelcast().getConfig().getProperty(HEARTBEAT);
    return set == null ? "60" : set;
  }

  private static Figure median(
      String name, Map<String, Object> params, List<long[]> rounds, int column) {
    long[] nanos = rounds.stream().mapToLong(times -> times[column]).sorted().toArray();
    return Figure.of(name, params, nanos[nanos.length / 2] / 1e6, "ms", nanos.length);
  }

  /** The time at which this member learns that another one was removed. */
  private final class Removal extends MembershipAdapter {
    private final CompletableFuture<Long> heard = new CompletableFuture<>();
    private final Worker worker;
    private final UUID listener;

    Removal(Worker worker) {
      this.worker = worker;
      this.listener = grid.hazelcast().getCluster().addMembershipListener(this);
    }

    @Override
    public void memberRemoved(MembershipEvent event) {
      if (event.getMember().getUuid().equals(worker.incarnation())) {
        heard.complete(System.nanoTime());
      }
    }

    long await() {
      long time = heard.join();
      grid.hazelcast().getCluster().removeMembershipListener(listener);
      return time;
    }
  }
}
