package io.hazelgrad.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests of calls and references between separate JVMs. */
@ExtendWith(Leftovers.class)
class GridOfJvmsTest {
  private static JvmCluster cluster;

  @BeforeAll
  static void start() {
    cluster = JvmCluster.workers("A", "B", "C").start();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Test
  void workersHaveDistinctIds() {
    assertThat(cluster.grid().workers()).extracting(Worker::id).doesNotHaveDuplicates().hasSize(4);
    assertThat(cluster.grid().workers())
        .extracting(Worker::name)
        .containsExactlyInAnyOrder("A", "B", "C", "driver");
  }

  @Test
  void everyWorkerCallsEveryOther() {
    for (String from : new String[] {"A", "B", "C", "driver"}) {
      for (String to : new String[] {"A", "B", "C", "driver"}) {
        String answer = cluster.grid().rpc().sync(from, Counter::askOther, to);
        assertThat(answer).isEqualTo(from + ">" + to);
      }
    }
  }

  @Test
  void referenceTravelsOverThreeUsers() {
    try (RRef<Counter> counter = cluster.rrefs().remote("A", Counter::new)) {
      assertThat(cluster.grid().rpc().sync("B", Counter::passOn, counter, "C", 3)).isEqualTo(3);
      assertThat(counter.sync(Counter::add, 4)).isEqualTo(7);
      assertThat(cluster.objectsOn("A")).isEqualTo(1);
    }
  }

  @Test
  void objectIsUsedByItsCreator() {
    try (RRef<Counter> counter = cluster.rrefs().remote("A", Counter::new)) {
      counter.creation().join();
      assertThat(counter.isConfirmed()).isTrue();
      assertThat(counter.isOwner()).isFalse();
      assertThat(counter.owner().name()).isEqualTo("A");
      assertThat(counter.sync(Counter::add, 1)).isEqualTo(1);
    }
  }

  @Test
  void objectIsUsedWhenCreatorIsOwner() {
    try (RRef<Counter> counter = cluster.rrefs().remote("driver", Counter::new)) {
      assertThat(counter.isOwner()).isTrue();
      assertThat(counter.localValue().add(2)).isEqualTo(2);
    }
  }

  @Test
  void failedCreationIsSeenByItsUsers() {
    try (RRef<Counter> counter = cluster.rrefs().remote("A", Counter::failing)) {
      assertThatThrownBy(counter::toHere)
          .hasMessageContaining("no counter today")
          .isInstanceOfSatisfying(
              GridException.class,
              e -> assertThat(e.status()).isIn(Status.USER_ERROR, Status.RREF_FAILED));
    }
  }

  @Test
  void userSharesWithOwner() {
    try (RRef<Counter> counter = cluster.rrefs().remote("A", Counter::new)) {
      assertThat(cluster.grid().rpc().sync("A", Counter::addLocally, counter, 5)).isEqualTo(5);
    }
  }

  @Test
  void ownerSharesWithUserInArgument() {
    assertThat(cluster.grid().rpc().sync("A", Counter::shareOwn, "B", 6)).isEqualTo(6);
  }

  @Test
  void ownerSharesWithUserInReply() {
    try (RRef<Counter> counter = cluster.grid().rpc().sync("A", Counter::make)) {
      assertThat(counter.owner().name()).isEqualTo("A");
      assertThat(counter.sync(Counter::add, 7)).isEqualTo(7);
    }
  }

  @Test
  void userSharesWithUserInArgument() {
    try (RRef<Counter> counter = cluster.rrefs().remote("A", Counter::new)) {
      assertThat(cluster.grid().rpc().sync("B", Counter::addThrough, counter, 8)).isEqualTo(8);
    }
  }

  @Test
  void userSharesWithUserInReply() {
    RRef<Counter> returned;
    try (RRef<Counter> counter = cluster.rrefs().remote("A", Counter::new)) {
      returned = cluster.grid().rpc().sync("B", Counter::giveBack, counter);
      assertThat(returned.id()).isEqualTo(counter.id());
    }
    try (returned) {
      assertThat(returned.sync(Counter::add, 9)).isEqualTo(9);
    }
  }

  @Test
  void objectLivesWhileUserKeepsHandle() {
    try (RRef<Counter> counter = cluster.rrefs().remote("A", Counter::new)) {
      cluster.grid().rpc().sync("B", Counter::keep, counter);
    }
    assertThat(cluster.objectsOn("A")).isEqualTo(1);
    assertThat(cluster.grid().rpc().sync("B", Counter::letGo)).isEqualTo(1);
  }

  @Test
  void workerThatEndsByItselfIsStartedAnewAndNamed() {
    cluster.processes().worker("B").handle().destroyForcibly();
    Await.until(
        "B has ended", Duration.ofSeconds(20), () -> !cluster.processes().worker("B").isAlive());
    assertThatThrownBy(cluster::startMissing)
        .hasMessageStartingWith(
            "nobody stopped or killed this worker: worker B ended with code 137");
    cluster.awaitAgreement("A", "B", "C");
    cluster.kill("B");
    cluster.startMissing();
    cluster.awaitAgreement("A", "B", "C");
  }
}
