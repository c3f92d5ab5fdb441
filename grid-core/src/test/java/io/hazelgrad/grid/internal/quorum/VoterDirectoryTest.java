package io.hazelgrad.grid.internal.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.cluster.Address;
import com.hazelcast.cluster.Member;
import com.hazelcast.cluster.impl.MemberImpl;
import com.hazelcast.version.MemberVersion;
import java.net.InetAddress;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The earlier voters that a newcomer replaces. */
class VoterDirectoryTest {
  private static final UUID OLD = new UUID(0, 1);
  private static final UUID NEW = new UUID(0, 2);

  private static Member member(UUID voter, String name, int port) {
    return new MemberImpl.Builder(new Address(InetAddress.getLoopbackAddress(), port))
        .version(MemberVersion.of("5.7.0"))
        .uuid(UUID.randomUUID())
        .attributes(VoterDirectory.attributes(voter, name))
        .build();
  }

  @Test
  void newcomerReplacesLostVoterOfItsAddress() {
    VoterDirectory voters = new VoterDirectory(false);
    voters.see(List.of(member(OLD, "a", 1)));
    assertThat(voters.see(List.of(member(NEW, "b", 1)))).containsExactly(OLD);
  }

  @Test
  void newcomerReplacesLostVoterOfItsNameWhenNamesAreUnique() {
    VoterDirectory voters = new VoterDirectory(true);
    voters.see(List.of(member(OLD, "a", 1)));
    assertThat(voters.see(List.of(member(NEW, "a", 2)))).containsExactly(OLD);
    assertThat(voters.see(List.of(member(NEW, "a", 2)))).isEmpty();
  }

  @Test
  void newcomerOfSameNameProvesNothingWithoutPromise() {
    VoterDirectory voters = new VoterDirectory(false);
    voters.see(List.of(member(OLD, "a", 1)));
    assertThat(voters.see(List.of(member(NEW, "a", 2)))).isEmpty();
  }

  @Test
  void newcomerOfSameNameDoesNotReplaceLivingVoter() {
    VoterDirectory voters = new VoterDirectory(true);
    Member living = member(OLD, "a", 1);
    voters.see(List.of(living));
    assertThat(voters.see(List.of(living, member(NEW, "a", 2)))).isEmpty();
    assertThat(voters.describe(List.of(OLD))).singleElement().hasToString("a (127.0.0.1:1)");
  }
}
