package io.hazelgrad.autograd.internal.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.cluster.Member;
import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.EntryProcessor;
import io.hazelgrad.autograd.training.OptimizerState;
import io.hazelgrad.grid.spi.GridContext;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Snapshots while the member that has their backups is silent, on two members. */
final class SnapshotStoreTest {
  private static final String MAP = "hazelgrad.training-snapshots";
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final String cluster = "snapshots-" + UUID.randomUUID();
  private final List<HazelcastInstance> members = new ArrayList<>();

  @AfterEach
  void stop() {
    members.forEach(each -> each.getLifecycleService().terminate());
  }

  @Test
  void snapshotWithoutBackupDoesNotReplaceTheLastOne() {
    HazelcastInstance first = member(Duration.ofMillis(200));
    HazelcastInstance second = member(Duration.ofMillis(200));
    await("there are backups", () -> first.getPartitionService().isClusterSafe());
    String job = jobOn(first);
    SnapshotStore store = new SnapshotStore(grid(first));
    await("a snapshot is written", () -> store.write(job, state(1), null)); // Quickly enough.

    CountDownLatch released = silence(second);
    assertThat(store.write(job, state(2), null)).isFalse();
    assertThat(store.state(job)).isEqualTo(state(1));
    first.getLifecycleService().terminate();
    released.countDown();

    assertThat(new SnapshotStore(grid(second)).state(job)).isEqualTo(state(1));
  }

  @Test
  void snapshotWaitsForItsBackup() {
    HazelcastInstance first = member(Duration.ofSeconds(20));
    HazelcastInstance second = member(Duration.ofSeconds(20));
    await("there are backups", () -> first.getPartitionService().isClusterSafe());
    String job = jobOn(first);
    SnapshotStore store = new SnapshotStore(grid(first));

    CountDownLatch released = silence(second);
    CompletableFuture<Boolean> writing =
        CompletableFuture.supplyAsync(() -> store.write(job, state(1), null));
    await("the piece is there", () -> first.getMap(MAP).containsKey(job + "/0/0"));
    assertThat(writing).isNotDone();
    assertThat(store.state(job)).isNull();
    released.countDown();
    assertThat(writing).succeedsWithin(Duration.ofNanos(PATIENCE_NANOS)).isEqualTo(true);
    first.getLifecycleService().terminate();

    assertThat(new SnapshotStore(grid(second)).state(job)).isEqualTo(state(1));
  }

  private static TrainingState state(long step) {
    return new TrainingState(
        step, Map.of(), List.of(), new OptimizerState(List.of(), 0), TrainingState.Journal.empty());
  }

  /** Returns a context that knows a member, and writes nothing of a state but its step. */
  private static GridContext grid(HazelcastInstance member) {
    return (GridContext)
        Proxy.newProxyInstance(
            SnapshotStoreTest.class.getClassLoader(),
            new Class<?>[] {GridContext.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "hazelcast" -> member;
                  case "isClient" -> false;
                  case "toBytes" -> bytes(((TrainingState) arguments[0]).step());
                  case "fromBytes" -> state(ByteBuffer.wrap((byte[]) arguments[0]).getLong());
                  default -> throw new UnsupportedOperationException(method.toString());
                });
  }

  private static byte[] bytes(long step) {
    return ByteBuffer.allocate(Long.BYTES).putLong(step).array();
  }

  private HazelcastInstance member(Duration backupTimeout) {
    Config config = new Config().setClusterName(cluster);
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.setProperty("hazelcast.socket.bind.any", "false");
    config.setProperty("hazelcast.wait.seconds.before.join", "0");
    config.setProperty("hazelcast.partition.count", "7");
    config.setProperty("hazelcast.operation.thread.count", "1");
    config.setProperty(
        "hazelcast.operation.backup.timeout.millis", String.valueOf(backupTimeout.toMillis()));
    config.getNetworkConfig().setPort(0).getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    JoinConfig join = config.getNetworkConfig().getJoin();
    join.getAutoDetectionConfig().setEnabled(false);
    join.getMulticastConfig().setEnabled(false);
    List<String> addresses =
        members.stream()
            .map(each -> (InetSocketAddress) each.getLocalEndpoint().getSocketAddress())
            .map(address -> "127.0.0.1:" + address.getPort())
            .toList();
    join.getTcpIpConfig().setEnabled(true).setMembers(addresses);
    SnapshotStore.prepare(config);
    HazelcastInstance member = Hazelcast.newHazelcastInstance(config);
    members.add(member);
    assertThat(member.getCluster().getMembers()).hasSameSizeAs(members);
    return member;
  }

  /** Finds a name whose snapshots a member keeps, and the other one as its backup. */
  private static String jobOn(HazelcastInstance member) {
    return IntStream.range(0, 10_000)
        .mapToObj(i -> "job" + i)
        .filter(
            job ->
                Stream.of("/head", "/0/0", "/1/0", "/0/-1/position", "/1/-1/position")
                    .allMatch(key -> isOn(member, job + key)))
        .findFirst()
        .orElseThrow();
  }

  private static boolean isOn(HazelcastInstance member, Object key) {
    Member owner = member.getPartitionService().getPartition(key).getOwner();
    return owner != null && owner.localMember();
  }

  /** Holds the only partition thread of a member, so that it confirms no backup. */
  private static CountDownLatch silence(HazelcastInstance member) {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    Object own =
        IntStream.range(0, 1_000)
            .boxed()
            .filter(key -> isOn(member, key))
            .findFirst()
            .orElseThrow();
    var unused = member.getMap(MAP).submitToKey(own, new Blocker(begun, released));
    await("the member is silent", () -> begun.getCount() == 0);
    return released;
  }

  /** Holds a partition thread until it is released. */
  @SuppressWarnings("serial") // Never sent: it runs on the member that submits it.
  private record Blocker(CountDownLatch begun, CountDownLatch released)
      implements EntryProcessor<Object, Object, Boolean> {
    @Override
    public Boolean process(Map.Entry<Object, Object> entry) {
      begun.countDown();
      try {
        return released.await(PATIENCE_NANOS, TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public @Nullable EntryProcessor<Object, Object, Boolean> getBackupProcessor() {
      return null;
    }
  }

  private static void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      LockSupport.parkNanos(1_000_000);
    }
  }
}
