package io.hazelgrad.tests.rref;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.partition.PartitionService;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.fault.Faults;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Functions that keep references and wait on workers in JVMs of their own. */
@RemoteFunctions
final class ReferenceFunctions {
  private static final ConcurrentMap<String, RRef<Box>> KEPT = new ConcurrentHashMap<>();
  private static final List<CompletableFuture<?>> WAITS = new CopyOnWriteArrayList<>();

  private ReferenceFunctions() {}

  /** Creates a box on another worker and keeps the reference. */
  static void make(String name, String owner, int value) {
    RRef<Box> made = RRefs.on(Grid.current()).remote(owner, Box::new, value);
    made.creation().join();
    KEPT.put(name, made.keep());
  }

  static void keep(String name, RRef<Box> box) {
    KEPT.put(name, box.keep());
  }

  /** Sends one of its references on. The caller does not wait for the end of that. */
  static void handOn(String name, String to) {
    WAITS.add(
        Grid.current()
            .rpc()
            .async(to, Function.action(ReferenceFunctions::keep), name, KEPT.get(name)));
  }

  static boolean has(String name) {
    return KEPT.containsKey(name);
  }

  static int add(String name, int amount) {
    return KEPT.get(name).sync(Box::add, amount);
  }

  static void letGo(String name) {
    RRef<Box> kept = KEPT.remove(name);
    if (kept != null) {
      kept.close();
    }
  }

  /** Starts calls on a box that end when the test passes the signal. */
  static void await(RRef<Box> box, RRef<Integer> slow, String signal) {
    box.keep();
    slow.keep();
    WAITS.add(box.async(Box::slowAdd, signal));
    WAITS.add(slow.toHereAsync());
    WAITS.add(slow.typeAsync());
    var unused =
        CompletableFuture.allOf(WAITS.toArray(CompletableFuture[]::new))
            .whenComplete(
                (nothing, failure) -> {
                  box.close();
                  slow.close();
                });
  }

  /** Returns the results of the waits that ended here, and forgets them. */
  static List<String> outcomes() {
    List<String> outcomes = new ArrayList<>();
    var unused =
        WAITS.removeIf(
            wait -> {
              if (wait.isDone()) {
                outcomes.add(outcome(wait));
              }
              return wait.isDone();
            });
    return outcomes;
  }

  static int waiting() {
    return (int) WAITS.stream().filter(wait -> !wait.isDone()).count();
  }

  /** Returns the number of calls that the called worker serves, without this one. */
  static int active() {
    return Grid.current().activeCalls() - 1;
  }

  /**
   * Returns an empty text if the called worker's member has primary entries of the registry, or
   * else the state of its partitions.
   */
  static String missesEntries() {
    HazelcastInstance hazelcast = Grid.current().hazelcast();
    if (!hazelcast.getMap("hazelgrad.rrefs").localKeySet().isEmpty()) {
      return "";
    }
    PartitionService partitions = hazelcast.getPartitionService();
    Member here = hazelcast.getCluster().getLocalMember();
    long own =
        partitions.getPartitions().stream().filter(part -> here.equals(part.getOwner())).count();
    return "%s has %d of %d partitions and no entry of the registry; state %s, safe %s, members %s"
        .formatted(
            Grid.current().worker().name(),
            own,
            partitions.getPartitions().size(),
            hazelcast.getCluster().getClusterState(),
            partitions.isClusterSafe(),
            hazelcast.getCluster().getMembers());
  }

  static String outcome(CompletableFuture<?> ended) {
    Throwable failure = ended.handle((value, thrown) -> thrown).join();
    Throwable cause = failure != null && failure.getCause() != null ? failure.getCause() : failure;
    Throwable known = failure instanceof GridException ? failure : cause;
    return known instanceof GridException e ? e.status() + " " + e.getMessage() : "" + known;
  }

  /** Returns the result of a use of a reference: its value or the status. */
  static String use(String name) {
    try {
      return "" + KEPT.get(name).sync(Box::get);
    } catch (GridException e) {
      return e.status().name();
    }
  }

  /** Delays the claims of this worker. */
  static void delayClaims(long millis) {
    Faults.of(Grid.current()).on("rref.claim").delay(Duration.ofMillis(millis));
  }

  static void endFaults() {
    Faults.of(Grid.current()).clear();
  }
}
