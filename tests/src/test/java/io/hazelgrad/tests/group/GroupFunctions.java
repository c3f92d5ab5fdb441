package io.hazelgrad.tests.group;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.group.Groups;
import io.hazelgrad.grid.group.Shutdown;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import io.hazelgrad.testkit.JvmCluster;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Functions that these tests call on workers. */
@RemoteFunctions
final class GroupFunctions {
  static final AtomicInteger HOPS = new AtomicInteger();

  private GroupFunctions() {}

  static long id() {
    return Grid.current().worker().id();
  }

  static int hopped() {
    return HOPS.incrementAndGet();
  }

  /** Sends the next hop without waiting. The test's worker counts each hop. */
  static int hop(List<String> names, int left) {
    Rpc rpc = Grid.current().rpc();
    if (left > 0) {
      var unused = rpc.async(names.get(left % names.size()), GroupFunctions::hop, names, left - 1);
    }
    var unused = rpc.async(JvmCluster.DRIVER, GroupFunctions::hopped);
    return left;
  }

  /** Answers after a delay in ms. */
  static int work(int millis) {
    long start = System.nanoTime();
    while (System.nanoTime() - start < millis * 1_000_000L) {
      LockSupport.parkNanos(millis * 1_000_000L);
    }
    return millis;
  }

  /** Calls work on another worker several times. */
  static int drive(String other, int times) {
    int sum = 0;
    for (int i = 0; i < times; i++) {
      sum += Grid.current().rpc().sync(other, GroupFunctions::work, 1);
    }
    return sum;
  }

  static boolean leaveTogether() {
    return !Shutdown.of(Grid.current())
        .togetherAsync(Duration.ofSeconds(20), Duration.ofSeconds(20))
        .isDone();
  }

  static CompletionStage<String> never() {
    return new CompletableFuture<>();
  }

  static boolean meet(int millis) {
    Groups.of(Grid.current()).all().within(Duration.ofMillis(millis)).barrier();
    return true;
  }

  /** Gathers a reference to an object of each worker, and reads all of them. */
  static int gatherReferences() {
    Grid here = Grid.current();
    try (RRef<Integer> own = RRefs.on(here).local((int) here.worker().id())) {
      Map<String, RRef<Integer>> all = Groups.of(here).all().allGather(own);
      int sum = 0;
      for (RRef<Integer> each : all.values()) {
        sum += each.isOwner() ? each.localValue() : each.toHere();
      }
      return sum;
    }
  }

  static final Function<String> NEVER = Function.named(GroupFunctions.class, "never");
}
