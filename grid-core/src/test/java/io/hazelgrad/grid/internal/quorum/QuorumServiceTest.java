package io.hazelgrad.grid.internal.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.cluster.Address;
import com.hazelcast.cluster.Member;
import com.hazelcast.cluster.impl.MemberImpl;
import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.version.MemberVersion;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.internal.quorum.Quorum.Report;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class QuorumServiceTest {
  private static final String VOTER = "hazelgrad.voter";

  /** A member in a cluster whose others never answer. */
  private static final class Lonely implements QuorumMember {
    @Override
    public HazelcastInstance hazelcast() {
      throw new UnsupportedOperationException("for a test");
    }

    @Override
    public boolean isJoined() {
      return true;
    }

    @Override
    public void nudge() {}

    @Override
    public boolean isConnected(Address other) {
      return false;
    }

    @Override
    public CompletableFuture<Report> send(Address other, Report report, boolean leaving) {
      return new CompletableFuture<>();
    }

    @Override
    public void onConnection(Consumer<Address> listener) {}

    @Override
    public void merge(Address into) {}
  }

  private static Member member(String voter, int port, boolean local) {
    return new MemberImpl.Builder(new Address(InetAddress.getLoopbackAddress(), port))
        .version(MemberVersion.of("5.7.0"))
        .uuid(UUID.randomUUID())
        .attributes(Map.of(VOTER, voter))
        .localMember(local)
        .build();
  }

  @Test
  void addressesOfVotersThatWentAreForgottenInTime() {
    Config config = new Config();
    QuorumService.prepare(config, HazelgradConfig.named("here").build(), instance -> new Lonely());
    QuorumService service = (QuorumService) config.getUserContext().get("io.hazelgrad.quorum");
    String self = config.getMemberAttributeConfig().getAttribute(VOTER);
    service.setHazelcastInstance(null);
    Member here = member(self, 1, true);
    List<Member> members = new ArrayList<>(List.of(here));
    for (int i = 0; i < 1_100; i++) {
      members.add(member(UUID.randomUUID().toString(), 10_000 + i, false));
    }
    service.apply(members);
    service.apply(List.of(here));
    assertThat(service.unseen())
        .hasSizeLessThanOrEqualTo(1_000)
        .extracting(Address::getPort)
        .contains(11_099)
        .doesNotContain(10_000);
  }
}
