package io.hazelgrad.rref.internal.registry;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.cluster.Member;
import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.NetworkConfig;
import com.hazelcast.config.SplitBrainProtectionConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.EntryProcessor;
import com.hazelcast.map.IMap;
import com.hazelcast.splitbrainprotection.SplitBrainProtectionException;
import com.hazelcast.splitbrainprotection.SplitBrainProtectionOn;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.protocol.Command;
import io.hazelgrad.rref.internal.protocol.Command.Claim;
import io.hazelgrad.rref.internal.protocol.Command.Create;
import io.hazelgrad.rref.internal.protocol.Command.HolderLost;
import io.hazelgrad.rref.internal.protocol.Command.Release;
import io.hazelgrad.rref.internal.protocol.Command.Resolve;
import io.hazelgrad.rref.internal.protocol.CommandReply;
import io.hazelgrad.rref.internal.protocol.Entry;
import io.hazelgrad.rref.internal.protocol.ForkId;
import io.hazelgrad.rref.internal.protocol.Forks;
import io.hazelgrad.rref.internal.protocol.RRefState;
import io.hazelgrad.rref.internal.registry.MemberRegistryRoute.Step;
import io.hazelgrad.rref.internal.runtime.RRefExtension;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The registry on real members. */
class MemberRegistryRouteTest {
  private static final String MAP = "hazelgrad.rrefs";
  private static final int TOMBSTONE_SECONDS = 2;
  private static final long CREATOR = 1;
  private static final long OWNER = 2;
  private static final ForkId FIRST = ForkId.of(CREATOR, 1);

  private final String cluster = "registry-" + UUID.randomUUID();
  private final List<String> addresses = new ArrayList<>();
  private final List<HazelcastInstance> instances = new ArrayList<>();

  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

  @AfterEach
  void stop() {
    timer.shutdownNow();
    instances.forEach(each -> each.getLifecycleService().terminate());
  }

  @Test
  void tenThousandForksCostNoMoreThanTen() throws IOException {
    IMap<RRefId, Entry> map = member().getMap(MAP);
    RRefId id = new RRefId(CREATOR, 1, 7);
    assertThat(send(map, id, new Create(OWNER, FIRST, CREATOR)).isOk()).isTrue();
    assertThat(send(map, id, new Resolve(OWNER, RRefState.READY, "T", null, 0)).isOk()).isTrue();

    claims(map, id, 0, 10_000);
    assertThat(map.get(id).forks().size()).isEqualTo(10_001);
    for (int round = 0; round < 3; round++) {
      System.out.printf(
          "a command takes %.1f us with 10,000 forks, %.1f us with 1%n",
          nanosPerCommand(map, id) / 1e3, nanosPerCommand(map, single(map)) / 1e3);
    }

    send(map, id, new HolderLost(3));
    assertThat(map.get(id).forks().size()).isEqualTo(1);
    CommandReply last = send(map, id, new Release(FIRST));
    assertThat(last).isEqualTo(new CommandReply(CommandReply.Verdict.OK, RRefState.GONE));
  }

  @Test
  void tombstonesExpireAndLiveEntriesStay() throws Exception {
    IMap<RRefId, Entry> map = member().getMap(MAP);
    RRefId gone = new RRefId(CREATOR, 1, 1);
    send(map, gone, new Create(OWNER, FIRST, CREATOR));
    send(map, gone, new Release(FIRST));
    RRefId forgotten = new RRefId(CREATOR, 2, 2);
    send(map, forgotten, new Release(FIRST));
    RRefId live = new RRefId(CREATOR, 3, 3);
    send(map, live, new Release(ForkId.of(9, 9)));
    assertThat(ttl(map, live)).isEqualTo(TOMBSTONE_SECONDS * 1_000L);
    send(map, live, new Create(OWNER, FIRST, CREATOR));
    RRefId claimed = new RRefId(CREATOR, 4, 4);
    send(map, claimed, new Release(ForkId.of(9, 9)));
    send(map, claimed, new Claim(FIRST, ForkId.of(1, 2), 3, OWNER));

    assertThat(ttl(map, gone)).isEqualTo(TOMBSTONE_SECONDS * 1_000L);
    assertThat(ttl(map, live)).isEqualTo(Long.MAX_VALUE);
    assertThat(ttl(map, claimed)).isEqualTo(Long.MAX_VALUE);
    await(() -> map.get(gone) == null && map.get(forgotten) == null);
    assertThat(map.get(live).state()).isEqualTo(RRefState.CREATING);
    assertThat(map.get(claimed).state()).isEqualTo(RRefState.EXPECTED);
  }

  @Test
  void thousandsOfTombstonesLeaveTheMemory() throws Exception {
    IMap<RRefId, Entry> map = member().getMap(MAP);
    for (int key = 0; key < 20; key++) {
      int at = key;
      List<Step> steps =
          LongStream.range(0, 200)
              .mapToObj(i -> new Step(new RRefId(CREATOR, i, at), new Release(FIRST)))
              .toList();
      UUID self = instanceOf(map).getCluster().getLocalMember().getUuid();
      route(self, map, TOMBSTONE_SECONDS).send(steps).toCompletableFuture().join();
    }
    assertThat(map.getLocalMapStats().getOwnedEntryCount()).isPositive();

    await(() -> map.getLocalMapStats().getOwnedEntryCount() == 0);
  }

  @Test
  void timeToLiveStaysWhenCommandChangesNothing() throws Exception {
    IMap<RRefId, Entry> map = member().getMap(MAP);
    RRefId id = new RRefId(CREATOR, 1, 1);
    send(map, id, new Create(OWNER, FIRST, CREATOR));
    send(map, id, 600, new Release(FIRST)).join();
    long end = map.getEntryView(id).getExpirationTime();
    long start = System.currentTimeMillis();
    await(() -> System.currentTimeMillis() - start > 1_000); // Hazelcast counts whole seconds.

    CommandReply late = send(map, id, new Create(OWNER, FIRST, CREATOR));

    assertThat(late).isEqualTo(new CommandReply(CommandReply.Verdict.REFUSED, RRefState.GONE));
    assertThat(map.getEntryView(id).getExpirationTime()).isEqualTo(end);
  }

  @Test
  void backupHasStateOfPrimary() throws Exception {
    HazelcastInstance first = member();
    HazelcastInstance second = member();
    IMap<RRefId, Entry> map = second.getMap(MAP);
    List<RRefId> ids = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      RRefId id = new RRefId(CREATOR, i, i);
      ids.add(id);
      send(map, id, new Release(ForkId.of(9, 9)));
      send(map, id, new Create(OWNER, FIRST, CREATOR));
      send(map, id, new Resolve(OWNER, RRefState.READY, "T", null, 0));
      claims(map, id, 0, 20);
      send(map, id, new Release(FIRST));
    }
    RRefId gone = ids.get(0);
    send(map, gone, new HolderLost(3));
    Entry live = map.get(ids.get(1));

    first.getLifecycleService().terminate();

    for (RRefId id : ids.subList(1, ids.size())) {
      assertThat(map.get(id)).isEqualTo(live);
      assertThat(ttl(map, id)).isEqualTo(Long.MAX_VALUE);
    }
    await(() -> map.get(gone) == null);
  }

  @Test
  void backupOfBatchExistsBeforeReply() {
    HazelcastInstance first = member();
    HazelcastInstance second = member();
    IMap<RRefId, Entry> map = second.getMap(MAP);
    List<RRefId> ids = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      ids.add(new RRefId(CREATOR, i, i % 10));
    }
    ForkId child = ForkId.of(1, 2);
    for (RRefId id : ids) {
      assertThat(
              group(
                  map,
                  id,
                  new Create(OWNER, FIRST, CREATOR),
                  new Claim(FIRST, child, 3, OWNER),
                  new Release(FIRST),
                  new Claim(FIRST, ForkId.of(1, 3), 3, OWNER)))
          .containsExactly(
              new CommandReply(CommandReply.Verdict.OK, RRefState.CREATING),
              new CommandReply(CommandReply.Verdict.OK, RRefState.CREATING),
              new CommandReply(CommandReply.Verdict.OK, RRefState.CREATING),
              new CommandReply(CommandReply.Verdict.PARENT_GONE, RRefState.CREATING));
    }

    first.getLifecycleService().terminate();

    for (RRefId id : ids) {
      assertThat(map.get(id).forks().toList()).containsExactly(new Forks.Fork(child, 3));
      assertThat(ttl(map, id)).isEqualTo(Long.MAX_VALUE);
    }
  }

  @Test
  void replyForSeveralKeysWaitsForTheirBackups() throws Exception {
    HazelcastInstance first = member();
    HazelcastInstance second = member();
    await(() -> first.getPartitionService().isClusterSafe());
    IMap<RRefId, Entry> map = first.getMap(MAP);
    int key = keyOn(first);
    List<Step> steps =
        LongStream.range(0, 100)
            .mapToObj(i -> new Step(new RRefId(CREATOR, i, key), new Create(OWNER, FIRST, CREATOR)))
            .toList();
    CountDownLatch silent = new CountDownLatch(1);
    var unused =
        second
            .<RRefId, Entry>getMap(MAP)
            .submitToKey(new RRefId(CREATOR, 1, keyOn(second)), new Blocker(silent));

    UUID self = first.getCluster().getLocalMember().getUuid();
    CompletableFuture<int[]> reply =
        route(self, map, TOMBSTONE_SECONDS).send(steps).toCompletableFuture();

    await(() -> map.containsKey(steps.get(99).id()));
    map.executeOnKeys(
        steps.stream().map(Step::id).collect(Collectors.toSet()),
        new Blocker(new CountDownLatch(0)));
    assertThat(reply).isNotDone();
    silent.countDown();
    assertThat(reply).succeedsWithin(Duration.ofSeconds(30));
    first.getLifecycleService().terminate();
    IMap<RRefId, Entry> backup = second.getMap(MAP);
    assertThat(steps).allMatch(step -> backup.get(step.id()).forks().contains(FIRST));
  }

  /** Holds the only partition thread of a member until it is released. */
  @SuppressWarnings("serial") // Never sent: it runs on the member that submits it.
  private record Blocker(CountDownLatch released)
      implements EntryProcessor<RRefId, Entry, Boolean> {
    @Override
    public Boolean process(Map.Entry<RRefId, Entry> entry) {
      try {
        return released.await(30, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public @Nullable EntryProcessor<RRefId, Entry, Boolean> getBackupProcessor() {
      return null;
    }
  }

  /** Finds a partition key whose partition a member holds, as soon as the member knows of one. */
  private static int keyOn(HazelcastInstance member) throws InterruptedException {
    await(() -> keysOn(member).findFirst().isPresent());
    return keysOn(member).findFirst().orElseThrow();
  }

  private static IntStream keysOn(HazelcastInstance member) {
    return IntStream.range(0, 1_000)
        .filter(
            key -> {
              Member owner = member.getPartitionService().getPartition(key).getOwner();
              return owner != null && owner.localMember();
            });
  }

  @Test
  void batchLeavesExpiringTombstoneWhenItEndsEntry() throws Exception {
    IMap<RRefId, Entry> map = member().getMap(MAP);
    RRefId id = new RRefId(CREATOR, 1, 1);

    assertThat(group(map, id, new Create(OWNER, FIRST, CREATOR), new Release(FIRST)))
        .endsWith(new CommandReply(CommandReply.Verdict.OK, RRefState.GONE));

    assertThat(ttl(map, id)).isEqualTo(TOMBSTONE_SECONDS * 1_000L);
    await(() -> map.get(id) == null);
  }

  @Test
  void batchIsRefusedWhenMemberWasCutOff() {
    IMap<RRefId, Entry> map = member().getMap(MAP);
    RRefId id = new RRefId(CREATOR, 1, 1);
    Create create = new Create(OWNER, FIRST, CREATOR);
    assertThat(send(UUID.randomUUID(), map, id, TOMBSTONE_SECONDS, create))
        .failsWithin(Duration.ofSeconds(30))
        .withThrowableThat()
        .withMessageContaining("which is no member");
    assertThat(map.get(id)).isNull();
  }

  @Test
  void batchIsRefusedWhenMapRefusesChanges() {
    IMap<RRefId, Entry> map = member(2).getMap(MAP);
    RRefId id = new RRefId(CREATOR, 1, 1);
    assertThat(send(map, id, TOMBSTONE_SECONDS, new Create(OWNER, FIRST, CREATOR)))
        .failsWithin(Duration.ofSeconds(30))
        .withThrowableThat()
        .withCauseInstanceOf(SplitBrainProtectionException.class);
    assertThat(map.get(id)).isNull();
  }

  @Test
  void clientFindsSameEntry() throws IOException {
    IMap<RRefId, Entry> map = member().getMap(MAP);
    RRefId id = new RRefId(CREATOR, 1, 5);
    send(map, id, new Create(OWNER, FIRST, CREATOR));
    ClientConfig config = new ClientConfig().setClusterName(cluster);
    new RRefExtension().prepareClient(config);
    config.getNetworkConfig().addAddress(addresses.get(0));
    HazelcastInstance client = HazelcastClient.newHazelcastClient(config);
    instances.add(0, client);
    IMap<RRefId, Entry> seen = client.getMap(MAP);

    send(map, id, new Claim(FIRST, ForkId.of(1, 2), 3, OWNER));

    assertThat(seen.get(id)).isEqualTo(map.get(id));
    assertThat(seen.get(id).forks().size()).isEqualTo(2);
  }

  private RRefId single(IMap<RRefId, Entry> map) {
    RRefId id = new RRefId(CREATOR, 2, 7);
    send(map, id, new Resolve(OWNER, RRefState.READY, "T", FIRST, CREATOR));
    return id;
  }

  private long nanosPerCommand(IMap<RRefId, Entry> map, RRefId id) {
    int count = 2_000;
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) {
      ForkId child = ForkId.of(5, start + i);
      send(map, id, new Claim(FIRST, child, 5, OWNER));
      send(map, id, new Release(child));
    }
    return (System.nanoTime() - start) / (2L * count);
  }

  private void claims(IMap<RRefId, Entry> map, RRefId id, int from, int to) {
    List<CompletableFuture<?>> replies = new ArrayList<>();
    for (int i = from; i < to; i++) {
      Claim claim = new Claim(FIRST, ForkId.of(4, i), 3, OWNER);
      replies.add(send(map, id, TOMBSTONE_SECONDS, claim));
    }
    replies.forEach(CompletableFuture::join);
  }

  private CommandReply send(IMap<RRefId, Entry> map, RRefId id, Command command) {
    return group(map, id, command).get(0);
  }

  private List<CommandReply> group(IMap<RRefId, Entry> map, RRefId id, Command... commands) {
    return Arrays.stream(send(map, id, TOMBSTONE_SECONDS, commands).join())
        .mapToObj(CommandReply::fromCode)
        .toList();
  }

  private CompletableFuture<int[]> send(
      IMap<RRefId, Entry> map, RRefId id, int tombstoneSeconds, Command... commands) {
    return send(
        instanceOf(map).getCluster().getLocalMember().getUuid(),
        map,
        id,
        tombstoneSeconds,
        commands);
  }

  private HazelcastInstance instanceOf(IMap<RRefId, Entry> map) {
    return instances.stream()
        .filter(each -> each.getLifecycleService().isRunning() && each.getMap(MAP).equals(map))
        .findFirst()
        .orElseThrow();
  }

  private CompletableFuture<int[]> send(
      UUID sender, IMap<RRefId, Entry> map, RRefId id, int tombstoneSeconds, Command... commands) {
    return route(sender, map, tombstoneSeconds)
        .send(Arrays.stream(commands).map(command -> new Step(id, command)).toList())
        .toCompletableFuture();
  }

  private MemberRegistryRoute route(UUID sender, IMap<RRefId, Entry> map, int tombstoneSeconds) {
    return new MemberRegistryRoute(
        instanceOf(map),
        map,
        instanceOf(map).getPartitionService(),
        sender,
        tombstoneSeconds,
        ForkJoinPool.commonPool(),
        timer);
  }

  private static long ttl(IMap<RRefId, Entry> map, RRefId id) {
    return map.getEntryView(id).getTtl();
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("in time").isLessThan(end);
      Thread.sleep(50);
    }
  }

  /** Finds a port below those that the system gives to outgoing connections. */
  private static int freePort() {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(20_000, 32_000);
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (IOException e) {
        // Somebody has it: the next one.
      }
    }
  }

  private HazelcastInstance member() {
    return member(1);
  }

  /** Starts a member whose map needs so many members for a change. */
  private HazelcastInstance member(int quorum) {
    int port = freePort();
    addresses.add("127.0.0.1:" + port);
    Config config = new Config().setClusterName(cluster);
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.setProperty("hazelcast.socket.bind.any", "false");
    config.setProperty("hazelcast.wait.seconds.before.join", "0");
    config.setProperty("hazelcast.partition.count", "11");
    config.setProperty("hazelcast.operation.thread.count", "1");
    config.getJetConfig().setEnabled(false);
    NetworkConfig network = config.getNetworkConfig();
    network.setPort(port).setPortAutoIncrement(false);
    network.getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    JoinConfig join = network.getJoin();
    join.getAutoDetectionConfig().setEnabled(false);
    join.getMulticastConfig().setEnabled(false);
    join.getTcpIpConfig().setEnabled(true).setMembers(addresses);
    new RRefExtension().prepare(config, HazelgradConfig.named("w1").build());
    if (quorum > 1) {
      config.getMapConfig(MAP).setSplitBrainProtectionName("quorum");
      config.addSplitBrainProtectionConfig(
          new SplitBrainProtectionConfig("quorum", true, quorum)
              .setProtectOn(SplitBrainProtectionOn.WRITE));
    }
    HazelcastInstance member = Hazelcast.newHazelcastInstance(config);
    instances.add(member);
    return member;
  }
}
