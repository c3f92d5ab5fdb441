package io.hazelgrad.tests.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.launcher.LocalCluster;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.testkit.Leftovers;
import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of older versions of Hazelcast, with the classes of Hazelgrad as they are: workers that
 * have one, and clients that have one. The build has put the jars into {@code target/hazelcast}.
 */
@ExtendWith(Leftovers.class)
@Tag("slow")
class VersionsTest extends ClientTestBase {
  private static List<String> classPath(String version) {
    Path jar = Path.of("target/hazelcast/hazelcast-" + version + ".jar").toAbsolutePath();
    assertThat(jar).isRegularFile();
    List<String> all =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator)).toList();
    String older =
        all.stream()
            .map(entry -> entry.matches(".*[/\\\\]hazelcast-[0-9.]+\\.jar") ? "" + jar : entry)
            .collect(Collectors.joining(File.pathSeparator));
    assertThat(older).contains(jar.toString()).hasSizeGreaterThan(jar.toString().length());
    return List.of("-cp", older);
  }

  @ParameterizedTest
  @ValueSource(strings = {"5.5.0", "5.6.0"})
  void workersOfAnOlderVersionServeClientOfThisOne(String version) {
    LocalCluster.Spec spec =
        LocalCluster.Spec.of(List.of("A", "B")).withJvmOptions(classPath(version));
    try (LocalCluster workers = LocalCluster.start(spec);
        GridClient client =
            GridClient.connect(
                config(workers.worker("A").clientEndpoint()).setClusterName(workers.name()))) {
      assertThat(client.hazelcast().getCluster().getMembers())
          .extracting(member -> member.getVersion().toString())
          .containsOnly(version);
      Tensor half = Tensor.of(new float[] {0.5f, 1}, 2);
      assertThat(client.rpc().sync("B", CountedFunctions::twice, half))
          .isEqualTo(Tensor.of(new float[] {1, 2}, 2));
      try (RRef<SharedObject> shelf = client.rrefs().remote("A", SharedObject::new, "shelf")) {
        assertThat(client.rpc().sync("B", SharedObject::keep, "kept", shelf)).isEqualTo("shelf");
        assertThat(client.rpc().sync("B", SharedObject::labelOfKept, "kept")).isEqualTo("shelf");
        client.rpc().sync("B", Function.action(SharedObject::drop), "kept");
      }
      try (Context context = client.autograd().open()) {
        Variable x = Variable.parameter(Tensor.of(new double[] {1, 2, 3, 4}, 4));
        Variable y = client.rpc().sync("A", DifferentiableFunctions::times, x);
        context.backward(client.rpc().sync("B", DifferentiableFunctions::times, y).sum());
        assertThat(context.gradient(x)).isEqualTo(Tensor.of(new double[] {1, 4, 9, 0.015625}, 4));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"5.5.0", "5.6.0"})
  void workersOfThisVersionServeClientOfAnOlderOne(String version) throws Exception {
    String endpoint = cluster.processes().worker("A").clientEndpoint();
    try (ClientJvm client = new ClientJvm(clusterName(), endpoint, classPath(version))) {
      assertThat(client.tell("twice B 1000000")).isEqualTo("1000000 of 1000000");
      assertThat(client.tell("make B 3")).isEqualTo("made");
      assertThat(client.tell("label")).isEqualTo("shelf 2");
      assertThat(client.tell("sum A 1000")).isEqualTo("2.0 of 1000");
      assertThat(client.tell("record A B")).isEqualTo("recorded");
      assertThat(client.tell("close")).isEqualTo("closed");
    }
  }
}
