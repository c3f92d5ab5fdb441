package io.hazelgrad.rref.internal.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.config.Config;
import com.hazelcast.config.InMemoryFormat;
import com.hazelcast.config.MapConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.Proofs;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.protocol.Command;
import io.hazelgrad.rref.internal.protocol.Entry;
import io.hazelgrad.rref.internal.protocol.ForkId;
import io.hazelgrad.rref.internal.protocol.TypeIds;
import io.hazelgrad.rref.internal.runtime.RRefSerializerFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Commands to the registry count with a proof that is right and young. */
class CommandProofTest {
  private static final RRefId ID = new RRefId(1, 1, 7);
  private static final UUID NOBODY = new UUID(0, 0);

  /** A proof that is the sum of the bytes: enough to see whether it is asked for. */
  private static final Proofs SUMS =
      new Proofs() {
        @Override
        public boolean areNeeded() {
          return true;
        }

        @Override
        public byte[] of(Purpose purpose, byte[]... parts) {
          int sum = purpose.code();
          for (byte[] part : parts) {
            sum = 31 * sum + Arrays.hashCode(part);
          }
          return Integer.toString(sum).getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public boolean accept(byte[] proof, Purpose purpose, byte[]... parts) {
          return Arrays.equals(proof, of(purpose, parts));
        }
      };

  private final List<HazelcastInstance> members = new ArrayList<>();
  private HazelcastInstance member;
  private IMap<RRefId, Entry> map;

  @BeforeEach
  void start() {
    String cluster = "proofs-" + UUID.randomUUID();
    members.add(member(cluster));
    members.add(member(cluster));
    member = members.get(0);
    map = member.getMap("rrefs");
    assertThat(map.get(ID)).as("now partitions have owners").isNull();
  }

  private static HazelcastInstance member(String cluster) {
    Config config = new Config().setClusterName(cluster);
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.setProperty("hazelcast.socket.bind.any", "false");
    config.setProperty("hazelcast.wait.seconds.before.join", "0");
    config.setProperty("hazelcast.partition.count", "11");
    config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    config.getNetworkConfig().getJoin().getAutoDetectionConfig().setEnabled(false);
    config.getNetworkConfig().getJoin().getTcpIpConfig().setEnabled(true).addMember("127.0.0.1");
    config.addMapConfig(new MapConfig("rrefs").setInMemoryFormat(InMemoryFormat.OBJECT));
    config
        .getSerializationConfig()
        .addDataSerializableFactory(TypeIds.FACTORY, new RRefSerializerFactory());
    config.getUserContext().put(Proofs.KEY, SUMS);
    return Hazelcast.newHazelcastInstance(config);
  }

  @AfterEach
  void stop() {
    members.forEach(each -> each.getLifecycleService().terminate());
  }

  private CommandProcessor create(UUID sender) {
    Map<RRefId, List<Command>> commands = new LinkedHashMap<>();
    commands.put(ID, List.of(new Command.Create(2, ForkId.of(1, 1), 1)));
    return new CommandProcessor(sender, CommandProcessor.TOMBSTONE_SECONDS, commands);
  }

  private UUID self() {
    return member.getCluster().getLocalMember().getUuid();
  }

  private void assertRefused(CommandProcessor processor, String why) {
    // A copy, because a processor that did not leave its JVM needs no proof.
    for (HazelcastInstance each : members) {
      IMap<RRefId, Entry> other = each.getMap("rrefs");
      if (!PartitionKeys.isHeldBy(
          each.getPartitionService().getPartition(ID.getPartitionKey()),
          each.getCluster().getLocalMember().getUuid())) {
        assertThatThrownBy(() -> other.executeOnKey(ID, processor))
            .isInstanceOfSatisfying(
                GridException.class, e -> assertThat(e.status()).isEqualTo(Status.UNAUTHORIZED))
            .hasMessageContaining(why);
      }
    }
    assertThat(map.get(ID)).isNull();
  }

  @Test
  void commandsAreAppliedWithProofOnPrimaryAndBackup() {
    for (HazelcastInstance each : members) {
      UUID sender = each.getCluster().getLocalMember().getUuid();
      each.<RRefId, Entry>getMap("rrefs").executeOnKey(ID, create(sender).prove(each));
    }
    Entry entry = map.get(ID);
    assertThat(entry).isNotNull();
    HazelcastInstance owner = owner();
    members.remove(owner);
    owner.getLifecycleService().terminate();
    assertThat(members.get(0).<RRefId, Entry>getMap("rrefs").get(ID)).isEqualTo(entry);
  }

  private HazelcastInstance owner() {
    return members.stream()
        .filter(
            each ->
                PartitionKeys.isHeldBy(
                    each.getPartitionService().getPartition(ID.getPartitionKey()),
                    each.getCluster().getLocalMember().getUuid()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void commandsAreRefusedWithoutProof() {
    assertRefused(create(self()), "carry no proof");
  }

  @Test
  void commandsAreRefusedWhenTheyAreReplayedLater() {
    long before = CommandProof.now(member) - CommandProof.MOST_MILLIS - 1_000;
    assertRefused(create(self()).prove(SUMS, before), "count for");
  }

  @Test
  void changesForBackupAreRefusedOnPrimaryWithoutProofOrWhenReplayedLater() {
    assertRefused(create(NOBODY), "carry no proof");
    long before = CommandProof.now(member) - CommandProof.MOST_MILLIS - 1_000;
    assertRefused(create(NOBODY).prove(SUMS, before), "count for");
  }
}
