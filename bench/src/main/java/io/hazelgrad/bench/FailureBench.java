package io.hazelgrad.bench;

import com.hazelcast.cluster.Cluster;
import com.hazelcast.cluster.MembershipAdapter;
import com.hazelcast.cluster.MembershipEvent;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.launcher.LocalCluster;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Measures the time until a killed process is noticed: by callers that wait for its objects, and by
 * owners of objects to which it had forks. Each round kills and restarts a worker; the figures are
 * medians.
 */
final class FailureBench extends Bench {
  private static final int ROUNDS = 5;
  private static final int WAITS = 100;
  private static final int FORKS = 100;
  private static final String HEARTBEAT = "hazelcast.max.no.heartbeat.seconds";

  private final String survivor = others.get(0);
  private final String victim = others.get(1);
  private final LocalCluster processes;

  FailureBench(Setting setting) {
    super(setting);
    processes = setting.processes();
  }

  @Override
  void run() {
    List<long[]> owners = new ArrayList<>();
    List<long[]> holders = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      owners.add(ownerDies());
      holders.add(holderDies());
    }
    Properties set = caller.hazelcast().getConfig().getProperties();
    String heartbeat = set.getProperty(HEARTBEAT, "60");
    Map<String, Object> waits = Map.of("waits", 2 * WAITS, HEARTBEAT, heartbeat);
    Map<String, Object> forks = Map.of("forks", FORKS, HEARTBEAT, heartbeat);
    median("owner_death_to_member_removed", waits, owners, 0);
    median("owner_death_to_last_future_failed", waits, owners, 1);
    median("holder_death_to_member_removed", forks, holders, 0);
    median("holder_death_to_last_fork_reclaimed", forks, holders, 1);
  }

  /** Half of the waits are here, half on another worker, which replies when its last has ended. */
  private long[] ownerDies() {
    try (RRef<Variable> never =
        RRefs.on(caller).remote(victim, Function.async(BenchFunctions::never))) {
      CompletableFuture<?> there =
          caller.rpc().async(survivor, Function.async(BenchFunctions::awaitOften), never, WAITS);
      CompletableFuture<?> here = BenchFunctions.awaitOften(never, WAITS);
      until(
          "all wait for the owner",
          () -> caller.rpc().sync(victim, BenchFunctions::activeCalls) > 2 * WAITS);
      CompletableFuture<Long> removal = removal(caller.worker(victim));
      long start = System.nanoTime();
      CompletableFuture<Long> last =
          CompletableFuture.allOf(here, there).handle((nothing, failure) -> System.nanoTime());
      processes.worker(victim).kill();
      long[] times = {removal.join() - start, last.join() - start};
      restart();
      return times;
    }
  }

  private long[] holderDies() {
    caller.rpc().sync(victim, Function.action(BenchFunctions::holdReferencesOn), survivor, FORKS);
    awaitObjects(survivor, FORKS);
    CompletableFuture<Long> removal = removal(caller.worker(victim));
    long start = System.nanoTime();
    processes.worker(victim).kill();
    awaitObjects(survivor, 0);
    long end = System.nanoTime();
    long[] times = {removal.join() - start, end - start};
    restart();
    return times;
  }

  private void restart() {
    processes.startWorker(victim);
    until(
        "the worker is back",
        () -> caller.workers().stream().map(Worker::name).anyMatch(victim::equals));
  }

  private void median(String name, Map<String, Object> params, List<long[]> rounds, int column) {
    long[] nanos = rounds.stream().mapToLong(times -> times[column]).toArray();
    report(name, params, Sampling.median(nanos) / 1e6, "ms", nanos.length);
  }

  /** Returns a future of the time at which this member learns that a worker was removed. */
  private CompletableFuture<Long> removal(Worker worker) {
    CompletableFuture<Long> heard = new CompletableFuture<>();
    Cluster cluster = caller.hazelcast().getCluster();
    UUID listener =
        cluster.addMembershipListener(
            new MembershipAdapter() {
              @Override
              public void memberRemoved(MembershipEvent event) {
                if (event.getMember().getUuid().equals(worker.incarnation())) {
                  heard.complete(System.nanoTime());
                }
              }
            });
    return heard.whenComplete((time, failure) -> cluster.removeMembershipListener(listener));
  }
}
