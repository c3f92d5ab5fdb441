package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastException;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import com.hazelcast.map.MapInterceptor;
import io.hazelgrad.grid.internal.member.Directory;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Finding workers, and whom the directory takes for living. */
class DirectoryTest {
  private final TestGrids grids = new TestGrids();

  @AfterEach
  void end() {
    grids.close();
  }

  @Test
  void workerIsFoundAndCalledByItsIdWhileItLives() {
    Grid alice = grids.join("alice");
    Grid bob = grids.join("bob");
    Worker first = bob.worker();
    Directory stranger = new Directory(alice.hazelcast(), Runnable::run, worker -> {});

    assertThat(alice.worker(first.id())).isEqualTo(first);
    assertThat(stranger.find(first.callee(), 1_000_000_000L)).isEqualTo(first);
    assertThat(alice.rpc().<String>sync(first.callee(), Calls::worker)).isEqualTo("bob");
    stranger.close();
    bob.close();
    grids.join("bob");
    for (String callee : List.of(first.callee(), "#-1", "#x", "#")) {
      assertThatExceptionOfType(GridException.class)
          .isThrownBy(() -> alice.rpc().sync(callee, Calls::worker))
          .withMessageContaining("\"" + callee + "\"")
          .satisfies(e -> assertThat(e.status()).isEqualTo(Status.UNKNOWN_WORKER));
    }
  }

  @Test
  void workerCountsAsLivingWhenItsEntryWasLost() {
    Grid alice = grids.join("alice");
    Grid bob = grids.join("bob");
    Directory directory = new Directory(alice.hazelcast(), Runnable::run, worker -> {});
    assertThat(directory.living()).hasSize(2);

    alice.hazelcast().getMap(Directory.WORKERS).evictAll();

    assertThat(directory.living()).containsValue(bob.worker());
    assertThat(directory.knownNames()).containsExactly("alice", "bob");
    directory.close();
  }

  /** Refuses reads, as if the member that keeps the entry were lost, until it is opened. */
  private static final class RefusedReads implements MapInterceptor {
    private static final AtomicInteger REFUSED = new AtomicInteger();
    private static volatile boolean isOpen;

    @Override
    public Object interceptGet(Object value) {
      if (!isOpen) {
        REFUSED.incrementAndGet();
        throw new HazelcastException("refused on purpose");
      }
      return value;
    }

    @Override
    public void afterGet(Object value) {}

    @Override
    public Object interceptPut(Object before, Object after) {
      return after;
    }

    @Override
    public void afterPut(Object value) {}

    @Override
    public Object interceptRemove(Object value) {
      return value;
    }

    @Override
    public void afterRemove(Object value) {}
  }

  @Test
  void workerIsNotGivenUpWhenNobodyAnswersWhetherItIsEntered() throws Exception {
    Config config = grids.config();
    HazelgradConfig.named("bob").build().prepare(config);
    HazelcastInstance member = grids.start(config);
    IMap<String, Worker> entries = member.getMap(Directory.WORKERS);
    List<CompletableFuture<Void>> handled = new CopyOnWriteArrayList<>();
    List<Worker> lost = new CopyOnWriteArrayList<>();
    Directory directory =
        new Directory(member, task -> handled.add(CompletableFuture.runAsync(task)), lost::add);
    Worker bob = directory.create("bob", member.getCluster().getLocalMember().getUuid());
    directory.enter(bob);
    assertThat(directory.workers()).containsExactly(bob);
    RefusedReads.REFUSED.set(0);
    RefusedReads.isOpen = false;
    String interceptor = entries.addInterceptor(new RefusedReads());

    // As when a member that was frozen tells of a removal that is not one of this cluster.
    entries.remove("bob");
    entries.set("bob", bob);

    Eventually.until("somebody asks", () -> RefusedReads.REFUSED.get() > 0);
    RefusedReads.isOpen = true;
    handled.get(0).get(20, TimeUnit.SECONDS);
    assertThat(lost).isEmpty();
    assertThat(directory.isLiving(bob)).isTrue();
    entries.removeInterceptor(interceptor);
    directory.close();
  }
}
