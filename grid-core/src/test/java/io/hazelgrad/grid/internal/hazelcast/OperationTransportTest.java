package io.hazelgrad.grid.internal.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.cluster.Address;
import com.hazelcast.cluster.Cluster;
import com.hazelcast.cluster.Member;
import com.hazelcast.cluster.impl.MemberImpl;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.version.MemberVersion;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the versions of Hazelcast on which operations start. */
class OperationTransportTest {
  @ParameterizedTest
  @ValueSource(strings = {"4.2.8", "5.4.0", "5.8.0", "6.0.0"})
  void startIsRefusedWhenTheVersionWasNotTried(String version) {
    assertThatThrownBy(
            () -> new OperationTransport((request, replyTo) -> {}, memberOf(version, "5.7.0")))
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).isEqualTo(Status.BAD_CONFIG))
        .hasMessageContainingAll("5.5, 5.6 and 5.7", ":5701 has version " + version, "TASKS");
  }

  private static HazelcastInstance memberOf(String first, String second) {
    Set<Member> members = Set.of(member(5701, first), member(5702, second));
    Cluster cluster = stub(Cluster.class, "getMembers", members);
    return stub(HazelcastInstance.class, "getCluster", cluster);
  }

  private static Member member(int port, String version) {
    return new MemberImpl.Builder(new Address(InetAddress.getLoopbackAddress(), port))
        .version(MemberVersion.of(version))
        .build();
  }

  /** Returns an instance of an interface that has one answer to one question. */
  private static <T> T stub(Class<T> type, String question, Object answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (method.getName().equals(question)) {
                return answer;
              }
              throw new UnsupportedOperationException(method.getName());
            }));
  }
}
