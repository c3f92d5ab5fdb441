package io.hazelgrad.tests.rref;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.client.config.ClientConfig;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Durable objects when the processes of their owners are killed, frozen or restarted. The grid has
 * four workers and this JVM, which owns none of the objects at first.
 */
@ExtendWith(Leftovers.class)
class DurableOfJvmsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final List<String> NAMES = List.of("A", "B", "C", "D");

  /** Number of RRefs of one owner in one partition before the next partition is used. */
  private static final int A_RUN = 256;

  private static JvmCluster cluster;

  @BeforeAll
  static void start() {
    cluster = JvmCluster.workers(NAMES.toArray(String[]::new)).start();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @AfterEach
  void restore() {
    Await.until(
        "nothing is stored any more",
        PATIENCE,
        () -> grid().hazelcast().getMap("hazelgrad.values").isEmpty());
    cluster.startMissing();
    cluster.awaitAgreement(NAMES.toArray(String[]::new));
    awaitRest();
  }

  private static Grid grid() {
    return cluster.grid();
  }

  private static RRef<DurableCounter> counter(Durability durability, String owner) {
    RRef<DurableCounter> counter =
        cluster.rrefs().durable(durability).remote(owner, DurableCounter::new);
    counter.creation().join();
    return counter;
  }

  /** Kills a worker and waits until the others agree that it is lost. */
  private static void kill(String name) {
    cluster.kill(name);
    cluster.awaitAgreement(others(name));
  }

  private static void awaitRest() {
    Await.until(
        "no partition is on its way",
        PATIENCE,
        () -> grid().hazelcast().getPartitionService().isClusterSafe());
  }

  private static String[] others(String... without) {
    List<String> left = new ArrayList<>(NAMES);
    left.removeAll(List.of(without));
    return left.toArray(String[]::new);
  }

  /** The timer of the wait ends with the client, so nothing retries afterwards. */
  @Test
  @Tag("slow")
  void callEndsWithItsClientWhenWaitingForNextOwner() throws Exception {
    List<String> left = List.of("A", "C", "D", JvmCluster.DRIVER);
    try (GridClient client = client()) {
      RRef<DurableCounter> counter =
          client.rrefs().durable(Durability.ON_REQUEST).remote("B", DurableCounter::new);
      counter.creation().join();
      left.forEach(name -> grid().rpc().sync(name, Function.action(AdoptionFaults::prevent)));
      kill("B");
      CompletableFuture<DurableCounter> waiting =
          counter.within(Duration.ofMinutes(10)).toHereAsync();
      client.close();
      assertThatThrownBy(() -> waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
          .rootCause()
          .isInstanceOf(GridException.class)
          .hasMessageContaining("has left the grid");
    } finally {
      left.forEach(name -> grid().rpc().sync(name, Function.action(AdoptionFaults::allow)));
    }
  }

  private static GridClient client() {
    ClientConfig config = new ClientConfig();
    config.setClusterName(grid().hazelcast().getConfig().getClusterName());
    config.getNetworkConfig().addAddress(cluster.processes().worker("A").clientEndpoint());
    config.setProperty("hazelcast.logging.type", "slf4j");
    return GridClient.connect(config);
  }

  /** The entry, the value and the object are on the same member; their backups are not. */
  @Test
  void objectContinuesWhenOwnerAndItsStorageDie() {
    awaitRest(); // Otherwise the partition that B chose on its own member would move.
    try (RRef<DurableCounter> counter = counter(Durability.ON_REQUEST, "B")) {
      Worker first = counter.owner();
      assertThat(grid().rpc().sync("C", DurableCounter::keep, counter)).isEqualTo("C");
      assertThat(counter.sync(DurableCounter::add, 1)).isEqualTo(1);
      counter.checkpoint();
      assertThat(counter.sync(DurableCounter::add, 10)).isEqualTo(11);
      assertThat(
              Objects.requireNonNull(
                      grid()
                          .hazelcast()
                          .getPartitionService()
                          .getPartition(counter.id())
                          .getOwner())
                  .getUuid())
          .isEqualTo(first.incarnation());

      kill("B");

      assertThat(counter.sync(DurableCounter::get)).as("as of the last checkpoint").isEqualTo(1);
      assertThat(counter.owner().id()).isNotEqualTo(first.id());
      assertThat(grid().rpc().sync("C", DurableCounter::addThroughKept, 2)).isEqualTo(3);
      assertThat(grid().rpc().sync("A", DurableCounter::addThrough, counter, 3)).isEqualTo(6);
      assertThat(counter.toHere().get()).isEqualTo(6);
    }
    assertThat(grid().rpc().sync("C", DurableCounter::letGo)).isEqualTo(1);
  }

  @Test
  @Tag("slow")
  void objectContinuesWhenTwoOwnersDieInTurn() {
    List<RRef<DurableCounter>> counters = new ArrayList<>();
    awaitRest(); // Every member has backups.
    try {
      for (int i = 0; i < 12; i++) {
        fillPartition("C");
        counters.add(counter(Durability.EVERY_REPLY, "C"));
        assertThat(counters.get(i).sync(DurableCounter::add, i)).isEqualTo(i);
      }
      kill("C");
      addOneToEach(counters, 1);
      awaitRest(); // Data of C has a new backup now.
      // The backup may also be on this JVM, which cannot be killed.
      String second =
          counters.stream()
              .map(counter -> counter.owner().name())
              .filter(NAMES::contains)
              .findFirst()
              .orElseThrow();
      cluster.kill(second);
      cluster.awaitAgreement(others("C", second));
      addOneToEach(counters, 2);
      assertThat(counters).noneMatch(counter -> counter.owner().name().equals(second));
    } finally {
      counters.forEach(RRef::close);
    }
  }

  /** Creates so many references that the next one of this owner is in another partition. */
  private static void fillPartition(String owner) {
    List<RRef<DurableCounter>> some = new ArrayList<>();
    try {
      for (int i = 0; i < A_RUN; i++) {
        some.add(cluster.rrefs().remote(owner, DurableCounter::new));
      }
      some.forEach(counter -> counter.creation().join());
    } finally {
      some.forEach(RRef::close);
    }
  }

  private static void addOneToEach(List<RRef<DurableCounter>> counters, int before) {
    for (int i = 0; i < counters.size(); i++) {
      assertThat(counters.get(i).sync(DurableCounter::add, 1)).isEqualTo(i + before);
    }
  }

  @Test
  void answeredCallsAreNotLostWhenOwnersDie() {
    AtomicInteger answered = new AtomicInteger();
    AtomicInteger unknown = new AtomicInteger();
    AtomicBoolean stop = new AtomicBoolean();
    List<GridException> unexpected = new CopyOnWriteArrayList<>();
    try (RRef<DurableCounter> counter = counter(Durability.EVERY_REPLY, "D")) {
      List<CompletableFuture<Void>> callers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        callers.add(
            CompletableFuture.runAsync(
                () -> {
                  while (!stop.get()) {
                    try {
                      var unused = counter.sync(DurableCounter::add, 1);
                      answered.incrementAndGet();
                    } catch (GridException e) {
                      unknown.incrementAndGet();
                      if (e.status() != Status.WORKER_LOST || !e.mayHaveRun()) {
                        unexpected.add(e);
                      }
                    }
                  }
                }));
      }
      Await.until("calls are answered", PATIENCE, () -> answered.get() > 200);
      cluster.kill("D");
      int before = answered.get();
      Await.until("calls are answered again", PATIENCE, () -> answered.get() > before + 200);
      stop.set(true);
      CompletableFuture.allOf(callers.toArray(CompletableFuture<?>[]::new)).join();
      assertThat(unexpected).isEmpty();
      assertThat(counter.sync(DurableCounter::get))
          .isBetween(answered.get(), answered.get() + unknown.get());
      assertThat(unknown.get()).as("those under way when it died").isLessThanOrEqualTo(3);
    }
  }

  @Test
  @Tag("slow")
  void objectIsUnharmedWhenFormerOwnerReturns() {
    try (RRef<DurableCounter> counter = counter(Durability.EVERY_REPLY, "B")) {
      Worker first = counter.owner();
      assertThat(counter.sync(DurableCounter::add, 1)).isEqualTo(1);
      cluster.freeze("B");
      try {
        cluster.awaitAgreement(others("B"));
        assertThat(counter.sync(DurableCounter::add, 1)).isEqualTo(2);
      } finally {
        cluster.thaw("B");
      }
      Await.until(
          "B is back, as another",
          PATIENCE,
          () ->
              grid().workers().stream()
                  .anyMatch(w -> w.name().equals("B") && w.id() != first.id()));
      cluster.awaitAgreement(NAMES.toArray(String[]::new)); // The call may have to be repeated.
      assertThat(counter.sync(DurableCounter::add, 1)).isEqualTo(3);
      assertThat(grid().rpc().sync("B", DurableCounter::addThrough, counter, 1)).isEqualTo(4);
      assertThat(cluster.objectsOn("B")).isLessThanOrEqualTo(1);
    }
  }

  /**
   * Every worker leaves and comes back in turn, while a counter is called all the time. Calls wait
   * where they have to, none fails, and each is counted once.
   */
  @Test
  @Tag("slow")
  void objectCountsOnWhileAllWorkersRestart() {
    AtomicInteger answered = new AtomicInteger();
    AtomicBoolean stop = new AtomicBoolean();
    List<GridException> failed = new CopyOnWriteArrayList<>();
    try (RRef<DurableCounter> counter = counter(Durability.ON_REQUEST, "A")) {
      List<CompletableFuture<Void>> callers = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        callers.add(
            CompletableFuture.runAsync(
                () -> {
                  while (!stop.get()) {
                    try {
                      var unused = counter.sync(DurableCounter::add, 1);
                      answered.incrementAndGet();
                    } catch (GridException e) {
                      failed.add(e);
                    }
                  }
                }));
      }
      for (String name : NAMES) {
        cluster.stop(name);
        cluster.start(name);
        cluster.awaitAgreement(NAMES.toArray(String[]::new));
        int before = answered.get();
        Await.until("calls go on", PATIENCE, () -> answered.get() > before + 50);
      }
      stop.set(true);
      CompletableFuture.allOf(callers.toArray(CompletableFuture<?>[]::new)).join();
      assertThat(failed).isEmpty();
      assertThat(counter.sync(DurableCounter::get)).isEqualTo(answered.get());
    }
  }
}
