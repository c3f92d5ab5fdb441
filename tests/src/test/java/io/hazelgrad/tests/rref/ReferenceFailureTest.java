package io.hazelgrad.tests.rref;

import static io.hazelgrad.tests.rref.Failures.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import io.hazelgrad.tests.PeerTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * References during failures of processes and of the network. The grid has three workers and this
 * JVM. After each test all workers are back and nothing is left.
 */
@ExtendWith(Leftovers.class)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ReferenceFailureTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String DRIVER = JvmCluster.DRIVER;

  /**
   * Number of new RRefs of one creator and one owner in one partition before the next one is used.
   */
  private static final int ENTRIES_OF_A_PARTITION = 256;

  private static JvmCluster cluster;

  @BeforeAll
  static void start() {
    cluster = JvmCluster.workers("A", "B", "C").cuttable().start();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  /** Workers that a test has started and not ended yet. */
  private final List<String> guests = new ArrayList<>();

  @AfterEach
  void restore() {
    List.copyOf(guests).forEach(this::dismiss);
    cluster.heal();
    cluster.startMissing();
    awaitAll();
  }

  private void invite(String worker) {
    cluster.start(worker);
    guests.add(worker);
  }

  private void dismiss(String worker) {
    guests.remove(worker);
    cluster.kill(worker);
  }

  private static Grid grid() {
    return cluster.grid();
  }

  private static RRefs rrefs() {
    return cluster.rrefs();
  }

  @Test
  @PeerTest("owner_crash")
  void waitersOfAllHoldersFailWhenOwnerDies() {
    try (RRef<Box> box = rrefs().remote("A", Box::new, 1);
        RRef<Integer> slow = rrefs().remote("A", Box::slowNumber, "never")) {
      List<CompletableFuture<?>> here = new ArrayList<>();
      here.add(box.async(Box::slowAdd, "never"));
      here.add(slow.toHereAsync());
      here.add(slow.typeAsync());
      here.add(slow.creation());
      for (String holder : List.of("B", "C")) {
        grid().rpc().sync(holder, Function.action(ReferenceFunctions::await), box, slow, "never");
      }

      cluster.kill("A");

      for (CompletableFuture<?> wait : here) {
        Await.until("the future ends", PATIENCE, wait::isDone);
        assertThat(ReferenceFunctions.outcome(wait)).startsWith("RREF_LOST").contains("worker A");
      }
      for (String holder : List.of("B", "C")) {
        Await.until(
            "nobody waits on " + holder,
            PATIENCE,
            () -> grid().rpc().sync(holder, ReferenceFunctions::waiting) == 0);
        assertThat(grid().rpc().sync(holder, ReferenceFunctions::outcomes))
            .hasSize(3)
            .allSatisfy(
                outcome -> assertThat(outcome).startsWith("RREF_LOST").contains("worker A"));
      }
    }
  }

  @Test
  @PeerTest("parent_crash")
  @Tag("slow")
  void handOverLeavesNothingWhenParentDies() {
    grid().rpc().sync("A", Function.action(ReferenceFunctions::make), "handed", "B", 5);
    grid().rpc().sync("C", Function.action(ReferenceFunctions::delayClaims), 3000L);
    grid().rpc().sync("A", Function.action(ReferenceFunctions::handOn), "handed", "C");
    Await.until("C claims it", PATIENCE, () -> activeOn("C") > 0);

    cluster.kill("A");
    cluster.awaitWorkers("B", "C");

    // The claim comes before or after the parent's end is known: C has the box, or never gets it.
    Await.until("the hand-over is over", PATIENCE, () -> activeOn("C") == 0);
    grid().rpc().sync("C", Function.action(ReferenceFunctions::endFaults));
    if (grid().rpc().sync("C", ReferenceFunctions::has, "handed")) {
      assertThat(grid().rpc().sync("C", ReferenceFunctions::add, "handed", 1)).isEqualTo(6);
      grid().rpc().sync("C", Function.action(ReferenceFunctions::letGo), "handed");
    }
    awaitObjects("B", 0);
  }

  /** Returns the number of calls that a worker serves, without the asking one. */
  private static int activeOn(String worker) {
    return grid().rpc().sync(worker, ReferenceFunctions::active);
  }

  @Test
  @Tag("slow")
  void handOverTakesNothingWhenChildDies() {
    try (RRef<Box> box = rrefs().remote("B", Box::new, 5)) {
      box.creation().join();
      grid().rpc().sync("C", Function.action(ReferenceFunctions::delayClaims), 60_000L);
      CompletableFuture<?> handedOver =
          grid().rpc().async("C", Function.action(ReferenceFunctions::keep), "never", box);
      Await.until("C claims it", PATIENCE, () -> activeOn("C") > 0);

      cluster.kill("C");

      Await.until("the call ends", PATIENCE, handedOver::isDone);
      assertThat(ReferenceFunctions.outcome(handedOver)).startsWith("WORKER_LOST");
      assertThat(box.sync(Box::add, 1)).isEqualTo(6);
      assertThat(cluster.objectsOn("B")).isEqualTo(1);
    }
    awaitObjects("B", 0);
  }

  @Test
  @PeerTest("user_crash_removes_its_forks")
  void referencesAreReleasedWhenHolderDies() {
    List<RRef<Box>> shared = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      grid().rpc().sync("C", Function.action(ReferenceFunctions::make), "own " + i, "B", i);
      RRef<Box> box = rrefs().remote("A", Box::new, i);
      grid().rpc().sync("C", Function.action(ReferenceFunctions::keep), "shared " + i, box);
      shared.add(box);
    }

    cluster.kill("C");

    awaitObjects("B", 0);
    assertThat(cluster.objectsOn("A")).isEqualTo(50);
    for (int i = 0; i < 50; i++) {
      assertThat(shared.get(i).sync(Box::get)).isEqualTo(i);
      shared.get(i).close();
    }
    awaitObjects("A", 0);
  }

  /**
   * E and F join late and get parts of the registry, some with primary and backup on both. Owners
   * and holders must restore those entries.
   */
  @Test
  @Tag("slow")
  void objectsStayWhenRegistryMembersDie() {
    List<RRef<Box>> boxes = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      String owner = List.of("A", "B", "C").get(i % 3);
      RRef<Box> box = rrefs().remote(owner, Box::new, i);
      box.creation().join();
      fillPartitionOf(owner);
      grid()
          .rpc()
          .sync(
              List.of("B", "C", "A").get(i % 3),
              Function.action(ReferenceFunctions::keep),
              "late " + i,
              box);
      boxes.add(box);
    }
    invite("E");
    invite("F");
    cluster.awaitAgreement("A", "B", "C", "E", "F");
    for (String worker : List.of("E", "F")) {
      Await.until(PATIENCE, () -> grid().rpc().sync(worker, ReferenceFunctions::missesEntries));
    }

    dismiss("E");
    dismiss("F");
    cluster.awaitWorkers("A", "B", "C");

    Await.until("all are known again", PATIENCE, () -> rrefs().liveCount() == 60);
    for (int i = 0; i < 60; i++) {
      assertThat(boxes.get(i).sync(Box::add, 1)).isEqualTo(i + 1);
      boxes.get(i).close();
    }
    for (int i = 0; i < 60; i++) { // Another worker holds it now.
      String holder = List.of("B", "C", "A").get(i % 3);
      assertThat(grid().rpc().sync(holder, ReferenceFunctions::add, "late " + i, 1))
          .isEqualTo(i + 2);
      grid().rpc().sync(holder, Function.action(ReferenceFunctions::letGo), "late " + i);
    }
    List.of("A", "B", "C").forEach(worker -> awaitObjects(worker, 0));
  }

  /**
   * Creates and releases so many RRefs that the entry of the next one is in another partition.
   * Otherwise all entries would be in three partitions, and E and F might get none of them.
   */
  private static void fillPartitionOf(String owner) {
    List<RRef<Box>> passing = new ArrayList<>();
    for (int i = 0; i < ENTRIES_OF_A_PARTITION; i++) {
      passing.add(rrefs().remote(owner, Box::new, i));
    }
    passing.forEach(each -> each.creation().join());
    passing.forEach(RRef::close);
  }

  @Test
  @Tag("slow")
  void frozenWorkerHasNothingAndDoesNoHarmWhenItReturns() {
    Worker before = grid().worker("B");
    grid().rpc().sync("B", Function.action(ReferenceFunctions::make), "held", "C", 3);
    RRef<Box> own = rrefs().remote("B", Box::new, 7);
    own.creation().join();
    grid().rpc().sync("C", Function.action(ReferenceFunctions::keep), "of B", own);
    RRef<Box> shared = rrefs().remote("C", Box::new, 9);
    grid().rpc().sync("B", Function.action(ReferenceFunctions::keep), "shared", shared);

    cluster.freeze("B");
    try {
      cluster.awaitWorkers("A", "C");
      assertFails(own::toHere, Status.RREF_LOST, "worker B");
      Await.until("only one object is on C", PATIENCE, () -> cluster.objectsOn("C") == 1);
    } finally {
      cluster.thaw("B");
    }
    awaitAll();

    assertThat(grid().worker("B").id()).isNotEqualTo(before.id());
    assertThat(grid().rpc().sync("B", ReferenceFunctions::use, "held")).isEqualTo("FENCED");
    assertThat(grid().rpc().sync("B", ReferenceFunctions::use, "shared")).isEqualTo("FENCED");
    assertThat(grid().rpc().sync("C", ReferenceFunctions::use, "of B")).isEqualTo("RREF_LOST");
    assertThat(shared.sync(Box::add, 1)).isEqualTo(10);
    grid().rpc().sync("B", Function.action(ReferenceFunctions::make), "again", "C", 4);
    assertThat(grid().rpc().sync("B", ReferenceFunctions::add, "again", 1)).isEqualTo(5);

    own.close();
    shared.close();
    for (String name : List.of("held", "shared", "again")) {
      grid().rpc().sync("B", Function.action(ReferenceFunctions::letGo), name);
    }
    grid().rpc().sync("C", Function.action(ReferenceFunctions::letGo), "of B");
    awaitObjects("C", 0);
  }

  @Test
  @PeerTest("partition_and_merge_of_the_fork_registry")
  @Tag("slow")
  void registryIsExactAfterUnevenSplit() {
    RRef<Box> kept = rrefs().remote("B", Box::new, 1);
    grid().rpc().sync("C", Function.action(ReferenceFunctions::keep), "kept", kept);
    grid().rpc().sync("C", Function.action(ReferenceFunctions::make), "only C's", "B", 2);
    RRef<Box> released = rrefs().remote("B", Box::new, 3);
    grid().rpc().sync("C", Function.action(ReferenceFunctions::keep), "released", released);
    RRef<Box> onC = rrefs().remote("C", Box::new, 4);
    onC.creation().join();
    long before = grid().worker("C").id();

    cluster.split(List.of("C"), List.of("A", "B", DRIVER));
    cluster.awaitAgreement("A", "B");

    released.close(); // While the other holder is cut off.
    assertThat(grid().rpc().sync("A", Box::addTo, kept, 1)).isEqualTo(2);
    grid().rpc().sync("A", Function.action(ReferenceFunctions::keep), "kept", kept);
    assertFails(onC::toHere, Status.RREF_LOST, "worker C");
    Await.until("B has one object", PATIENCE, () -> cluster.objectsOn("B") == 1);
    cluster.heal();
    awaitAll();

    assertThat(grid().worker("C").id()).isNotEqualTo(before);
    assertThat(cluster.objectsOn("B")).isEqualTo(1);
    assertThat(kept.sync(Box::add, 1)).isEqualTo(3);
    for (String name : List.of("kept", "only C's", "released")) {
      assertThat(grid().rpc().sync("C", ReferenceFunctions::use, name))
          .as(name)
          .isEqualTo("FENCED");
      grid().rpc().sync("C", Function.action(ReferenceFunctions::letGo), name);
    }
    kept.close();
    assertThat(grid().rpc().sync("A", ReferenceFunctions::add, "kept", 1)).isEqualTo(4);
    grid().rpc().sync("A", Function.action(ReferenceFunctions::letGo), "kept");
    onC.close();
    awaitObjects("B", 0);
    Await.until("no reference lives", PATIENCE, () -> rrefs().liveCount() == 0);
  }

  /** A is the oldest worker. This JVM is on the other side, and asks both afterwards. */
  @Test
  @Order(1)
  @Tag("slow")
  void continuingSideKeepsReferencesAfterEvenSplit() {
    grid().rpc().sync("A", Function.action(ReferenceFunctions::make), "A's on B", "B", 1);
    grid().rpc().sync("A", Function.action(ReferenceFunctions::make), "A's on C", "C", 2);
    grid().rpc().sync("C", Function.action(ReferenceFunctions::make), "C's on B", "B", 3);
    RRefs old = rrefs();
    RRef<Box> ours = old.remote("B", Box::new, 4);
    grid().rpc().sync("A", Function.action(ReferenceFunctions::keep), "shared", ours);

    cluster.split(List.of("A", "B"), List.of("C", DRIVER));
    Await.until("this side is fenced", PATIENCE, () -> grid().isFenced());
    assertFails(() -> ours.sync(Box::get), Status.FENCED);
    cluster.heal();
    awaitAll();

    assertThat(grid().rpc().sync("A", ReferenceFunctions::add, "A's on B", 1)).isEqualTo(2);
    assertThat(grid().rpc().sync("A", ReferenceFunctions::use, "A's on C")).isEqualTo("RREF_LOST");
    assertThat(grid().rpc().sync("C", ReferenceFunctions::use, "C's on B")).isEqualTo("FENCED");
    assertThat(grid().rpc().sync("A", ReferenceFunctions::add, "shared", 1)).isEqualTo(5);
    Await.until("B has two objects", PATIENCE, () -> cluster.objectsOn("B") == 2);
    for (String name : List.of("A's on B", "A's on C", "shared")) {
      grid().rpc().sync("A", Function.action(ReferenceFunctions::letGo), name);
    }
    grid().rpc().sync("C", Function.action(ReferenceFunctions::letGo), "C's on B");
    ours.close();
    awaitObjects("B", 0);
    Await.until("no reference lives", PATIENCE, () -> rrefs().liveCount() == 0);
  }

  private static void awaitObjects(String worker, int count) {
    Await.until(
        PATIENCE,
        () -> {
          int found = cluster.objectsOn(worker);
          return found == count ? "" : worker + " owns " + found + " objects, not " + count;
        });
  }

  private static void awaitAll() {
    cluster.awaitPeace();
    cluster.awaitAgreement("A", "B", "C");
  }
}
