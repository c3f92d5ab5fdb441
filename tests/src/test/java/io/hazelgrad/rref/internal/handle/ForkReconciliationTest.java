package io.hazelgrad.rref.internal.handle;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.map.IMap;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.RRefs;
import io.hazelgrad.rref.internal.protocol.Entry;
import io.hazelgrad.rref.internal.protocol.ForkId;
import io.hazelgrad.rref.internal.protocol.RRefState;
import io.hazelgrad.rref.internal.registry.RegistryMap;
import io.hazelgrad.rref.internal.registry.RegistryQuery;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.InProcessGrids;
import io.hazelgrad.testkit.Leftovers;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Test of handles that the registry has forgotten, on real members. */
@ExtendWith(Leftovers.class)
class ForkReconciliationTest {
  private static final Duration SOON = Duration.ofSeconds(40);

  /** Functions that are called on the workers, all of this JVM. */
  @RemoteFunctions
  static final class Shelf {
    private static final List<RRef<String>> KEPT = new CopyOnWriteArrayList<>();

    private Shelf() {}

    static String text() {
      return "text";
    }

    static void keep(RRef<String> reference) {
      reference.keep();
      KEPT.add(reference);
    }
  }

  /** The worker's own rounds are rare, so that what is counted is the client's. */
  private static HazelgradConfig.Builder rounds(HazelgradConfig.Builder builder) {
    boolean isClient = builder.build().name().equals("client");
    return builder.reconcileEvery(isClient ? Duration.ofMillis(50) : Duration.ofHours(1));
  }

  @Test
  void idleClientReadsItsEntriesOnlyAndSearchesAgainAfterACall() {
    try (InProcessGrids grids = InProcessGrids.join(ForkReconciliationTest::rounds, "a");
        GridClient client = grids.client("client");
        RRef<String> held = client.rrefs().remote("a", Shelf::text)) {
      assertThat(held.toHere()).isEqualTo("text");
      IMap<RRefId, Entry> registry = grids.grid("a").hazelcast().getMap(RegistryMap.NAME);
      awaitReads(registry, 3); // The client has searched after its call, and rests.
      long searches = registry.getLocalMapStats().getQueryCount();
      awaitReads(registry, 10);
      assertThat(registry.getLocalMapStats().getQueryCount() - searches)
          .as("searches in ten rounds")
          .isLessThanOrEqualTo(3);

      Entry entry = registry.get(held.id());
      registry.set(
          held.id(),
          Entry.ABSENT
              .in(RRefState.READY, entry.owner(), entry.type())
              .withFork(ForkId.of(entry.owner(), 1), entry.owner()));
      Await.until(
          "the client's fork is known again",
          SOON,
          () -> registry.get(held.id()).forks().heldBy(client.self().id()).size() == 1);

      long before = registry.getLocalMapStats().getQueryCount();
      assertThat(held.toHere()).isEqualTo("text");
      Await.until(
          "the client searches after a call",
          SOON,
          () -> registry.getLocalMapStats().getQueryCount() > before);
    }
  }

  /** The client has searched before the late reply to a call that timed out, which is lost, too. */
  @Test
  void idleClientReleasesForkOfLateAndLostReplySoon() {
    try (InProcessGrids grids = InProcessGrids.join(ForkReconciliationTest::rounds, "a");
        GridClient client = grids.client("client");
        RRef<String> shared = RRefs.on(grids.grid("a")).remote("a", Shelf::text);
        RRef<String> held = client.rrefs().remote("a", Shelf::text)) {
      shared.creation().join();
      assertThat(held.toHere()).isEqualTo("text");
      IMap<RRefId, Entry> registry = grids.grid("a").hazelcast().getMap(RegistryMap.NAME);
      long self = client.self().id();
      Entry entry = registry.get(shared.id());
      long start = registry.getLocalMapStats().getGetOperationCount();
      awaitReads(registry, 3);
      long late = registry.getLocalMapStats().getGetOperationCount() - start;

      registry.set(shared.id(), entry.withFork(ForkId.inReply(self, 1_000_000, 0), self));

      Await.until( // By searches, since reads are counted.
          "the client holds only its own handle",
          SOON,
          () -> registry.keySet(RegistryQuery.heldBy(self)).equals(Set.of(held.id())));
      assertThat(registry.getLocalMapStats().getGetOperationCount() - start)
          .as("reads since the call, of which %s before the reply", late)
          .isLessThanOrEqualTo(2 * late + 10);
    }
  }

  /** Waits until the entries were read so often; each round of an idle client reads them once. */
  private static void awaitReads(IMap<RRefId, Entry> registry, int count) {
    long before = registry.getLocalMapStats().getGetOperationCount();
    Await.until(
        "the client has read its entries " + count + " times",
        SOON,
        () -> registry.getLocalMapStats().getGetOperationCount() - before >= count);
  }

  @Test
  void handleIsEnteredAgainWhenBackupWasOutdated() {
    try (InProcessGrids grids = InProcessGrids.join("a", "b", "c")) {
      Grid a = grids.grid("a");
      long b = grids.grid("b").worker().id();
      RRef<String> first = RRefs.on(a).remote("c", Shelf::text);
      a.rpc().sync("b", Function.action(Shelf::keep), first);
      IMap<RRefId, Entry> registry = a.hazelcast().getMap(RegistryMap.NAME);
      RRefId id = first.id();
      Await.until("it is made", SOON, () -> registry.get(id).state() == RRefState.READY);
      Entry entry = registry.get(id);
      List<ForkId> ofB = entry.forks().heldBy(b);
      ForkId ofA = entry.forks().heldBy(a.worker().id()).get(0);

      // The state of a backup that has not heard of b when it becomes the primary.
      registry.set(
          id,
          Entry.ABSENT
              .in(RRefState.READY, entry.owner(), entry.type())
              .withFork(ofA, a.worker().id()));

      Await.until(
          "b's handle is known again", SOON, () -> registry.get(id).forks().heldBy(b).equals(ofB));
      first.close();
      RRef<String> kept = Shelf.KEPT.remove(0);
      assertThat(kept.toHere()).isEqualTo("text");
      kept.close();
      Await.until("nothing is left", SOON, () -> RRefs.on(a).liveCount() == 0);
    }
  }
}
