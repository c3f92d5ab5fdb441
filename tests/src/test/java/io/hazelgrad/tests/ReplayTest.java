package io.hazelgrad.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.hazelcast.client.config.ClientConfig;
import io.hazelgrad.cli.replay.ProgramFile;
import io.hazelgrad.cli.replay.Replay;
import io.hazelgrad.cli.replay.Scenario;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/** Programs with results computed by torch, run on workers in JVMs of their own. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ReplayTest {
  private static final double TOLERANCE = 1e-9;
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Our words for the errors of torch that the scenarios name. */
  private static final Map<String, String> ERRORS =
      Map.of(
          "error_not_a_scalar", "a root must be a scalar: shape=[2, 3]",
          "error_no_gradient", "needs no gradient",
          "error_second_backward", "run the earlier pass with retainGraph=true");

  private JvmCluster cluster;
  private GridClient client;

  @BeforeAll
  void start() {
    cluster = JvmCluster.workers("A", "B", "C").start();
    ClientConfig config = new ClientConfig();
    config.setClusterName(cluster.processes().name());
    config.getNetworkConfig().addAddress(cluster.processes().worker("B").clientEndpoint());
    config.setProperty("hazelcast.logging.type", "slf4j");
    client = GridClient.connect(config);
  }

  @AfterAll
  void stop() {
    try {
      client.close();
      Leftovers.check();
    } finally {
      cluster.close();
    }
  }

  @TestFactory
  Stream<DynamicTest> gradientsAgreeWithTorch() throws IOException, URISyntaxException {
    return programs(new Replay(cluster.grid()));
  }

  @TestFactory
  Stream<DynamicTest> gradientsAgreeWithTorchWhenClientRuns()
      throws IOException, URISyntaxException {
    return programs(new Replay(client));
  }

  private static Stream<DynamicTest> programs(Replay replay)
      throws IOException, URISyntaxException {
    Path file =
        Path.of(
            Objects.requireNonNull(ReplayTest.class.getResource("/golden/distributed.json"))
                .toURI());
    JsonNode expected = JSON.readTree(file.toFile()).get("scenarios");
    List<Scenario> scenarios = ProgramFile.read(file);
    assertThat(scenarios).hasSize(40).hasSameSizeAs(expected);
    return Stream.iterate(0, i -> i < scenarios.size(), i -> i + 1)
        .map(
            i ->
                DynamicTest.dynamicTest(
                    scenarios.get(i).name(),
                    () -> compare(expected.get(i), replay.run(scenarios.get(i)))));
  }

  private static void compare(JsonNode scenario, String line) throws IOException {
    JsonNode got = JSON.readTree(line);
    assertThat(got.get("name")).isEqualTo(scenario.get("name"));
    if (scenario.has("error")) {
      String words = Objects.requireNonNull(ERRORS.get(scenario.get("name").asText()));
      assertThat(got.path("error").asText()).contains(words);
      return;
    }
    assertThat(got.path("error").asText()).isEmpty();
    JsonNode expect = scenario.get("expect");
    assertThat(names(got.get("checks"))).containsExactlyInAnyOrderElementsOf(names(expect));
    for (String label : names(expect)) {
      compareAll(expect.at("/" + label + "/values"), got.at("/checks/" + label + "/values"), label);
      JsonNode wanted = expect.at("/" + label + "/grads");
      JsonNode grads = got.at("/checks/" + label + "/grads");
      assertThat(names(grads)).containsExactlyInAnyOrderElementsOf(names(wanted));
      for (String worker : names(wanted)) {
        compareAll(wanted.get(worker), grads.get(worker), label + ", gradients of " + worker);
      }
    }
  }

  private static void compareAll(JsonNode expected, JsonNode got, String where) {
    assertThat(names(got)).as(where).containsExactlyInAnyOrderElementsOf(names(expected));
    for (String name : names(expected)) {
      String what = where + ", " + name;
      JsonNode want = expected.get(name);
      JsonNode have = got.get(name);
      assertThat(have.get("shape")).as(what).isEqualTo(want.get("shape"));
      assertThat(have.get("dtype")).as(what).isEqualTo(want.get("dtype"));
      assertThat(have.get("data")).as(what).hasSameSizeAs(want.get("data"));
      for (int i = 0; i < want.get("data").size(); i++) {
        double value = want.get("data").get(i).doubleValue();
        assertThat(have.get("data").get(i).doubleValue())
            .as("%s[%d]", what, i)
            .isCloseTo(value, within(TOLERANCE + TOLERANCE * Math.abs(value)));
      }
    }
  }

  private static Offset<Double> within(double offset) {
    return Offset.offset(offset);
  }

  private static List<String> names(JsonNode node) {
    return node.properties().stream().map(Map.Entry::getKey).toList();
  }
}
