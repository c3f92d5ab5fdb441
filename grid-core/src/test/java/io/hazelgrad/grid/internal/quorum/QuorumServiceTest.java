package io.hazelgrad.grid.internal.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.cluster.Address;
import com.hazelcast.cluster.Member;
import com.hazelcast.cluster.impl.MemberImpl;
import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.LifecycleEvent;
import com.hazelcast.core.LifecycleEvent.LifecycleState;
import com.hazelcast.version.MemberVersion;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.internal.quorum.Quorum.Agreement;
import io.hazelgrad.grid.internal.quorum.Quorum.Report;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class QuorumServiceTest {
  private static final String VOTER = "hazelgrad.voter";

  /** A member in a cluster whose others never answer. */
  private static final class Lonely implements QuorumMember {
    final Set<Address> excluded = ConcurrentHashMap.newKeySet();
    final Set<Address> asked = ConcurrentHashMap.newKeySet();

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
      asked.add(other);
      return false;
    }

    @Override
    public CompletableFuture<Report> send(Address other, Report report, boolean leaving) {
      return new CompletableFuture<>();
    }

    @Override
    public void onConnection(Consumer<Address> listener) {}

    @Override
    public void excludeFromHealing(Address lost) {
      excluded.add(lost);
    }

    @Override
    public void merge(Address into) {}
  }

  private final Config config = new Config();
  private final Lonely lonely = new Lonely();
  private QuorumService service;
  private String self;

  @BeforeEach
  void prepare() {
    QuorumService.prepare(
        config, HazelgradConfig.named("here").uniqueNames(true).build(), instance -> lonely);
    service = (QuorumService) config.getUserContext().get("io.hazelgrad.quorum");
    self = config.getMemberAttributeConfig().getAttribute(VOTER);
    service.setHazelcastInstance(null);
  }

  /** Stops the recovery, as at the end of a member. */
  @AfterEach
  void stop() {
    service.stateChanged(new LifecycleEvent(LifecycleState.SHUTTING_DOWN));
  }

  private static Member member(String voter, int port, boolean local) {
    return new MemberImpl.Builder(new Address(InetAddress.getLoopbackAddress(), port))
        .version(MemberVersion.of("5.7.0"))
        .uuid(UUID.randomUUID())
        .attributes(Map.of(VOTER, voter, "hazelgrad.name", local ? "here" : "there"))
        .localMember(local)
        .build();
  }

  @Test
  void addressesOfVotersThatWentAreForgottenInTime() {
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

  /** Hazelcast would merge it into the cluster of the lost one if that has the smaller address. */
  @Test
  void memberThatGoesOnExcludesAddressOfLostOne() {
    agreeWithYounger();
    service.apply(List.of(member(self, 1, true)));
    assertThat(service.isHeld()).isTrue();
    assertThat(lonely.excluded).extracting(Address::getPort).containsExactly(2);
  }

  @Test
  void addressOfMemberThatSaidGoodbyeIsNotExcluded() {
    Report other = agreeWithYounger();
    service.answer(other, new Address(InetAddress.getLoopbackAddress(), 2), true);
    service.apply(List.of(member(self, 1, true)));
    assertThat(service.isHeld()).isTrue();
    assertThat(lonely.excluded).isEmpty();
  }

  @Test
  void lostOneIsAskedUntilItReturnsAtAnotherAddress() {
    agreeWithYounger();
    Member here = member(self, 1, true);
    service.apply(List.of(here));
    service.askLost();
    assertThat(lonely.asked).extracting(Address::getPort).containsExactly(2);
    lonely.asked.clear();
    service.apply(List.of(here, member(UUID.randomUUID().toString(), 3, false)));
    service.askLost();
    assertThat(lonely.asked).isEmpty();
  }

  /** Lets this member and a younger one, at ports 1 and 2, found a grid. */
  private Report agreeWithYounger() {
    UUID other = UUID.randomUUID();
    Member there = member(other.toString(), 2, false);
    service.apply(List.of(member(self, 1, true), there));
    Report report =
        new Report(
            other, List.of(UUID.fromString(self), other), Agreement.NONE, List.of(), false, false);
    service.answer(report, there.getAddress(), false);
    assertThat(service.isHeld()).isTrue();
    return report;
  }
}
