package io.hazelgrad.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.google.gson.JsonParser;
import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.ServerSocketEndpointConfig;
import com.hazelcast.instance.EndpointQualifier;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.launcher.Main;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1StatefulSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.ParseResult;

/**
 * The chart for Kubernetes: Helm renders it, and the classes of the Kubernetes API check what comes
 * out. No cluster takes part.
 */
class KubernetesIT {
  private static final Path CHART = Path.of("chart", "hazelgrad");
  private static final String CLUSTER = "grid";

  @TempDir private Path folder;

  private static Map<String, JsonNode> render(Map<String, String> values) throws IOException {
    var template = new Helm(CHART).template().withName(CLUSTER).withNamespace("trainers");
    values.forEach(template::set);
    ObjectMapper yaml = new ObjectMapper(new YAMLFactory());
    List<JsonNode> manifests = new ArrayList<>();
    yaml.readerFor(JsonNode.class)
        .<JsonNode>readValues(template.call())
        .forEachRemaining(manifests::add);
    return manifests.stream().collect(Collectors.toMap(it -> it.get("kind").asText(), it -> it));
  }

  private static void check(JsonNode manifest) throws IOException {
    var json = JsonParser.parseString(manifest.toString());
    switch (manifest.get("kind").asText()) {
      case "ConfigMap" -> V1ConfigMap.validateJsonElement(json);
      case "PodDisruptionBudget" -> V1PodDisruptionBudget.validateJsonElement(json);
      case "Service" -> V1Service.validateJsonElement(json);
      case "StatefulSet" -> V1StatefulSet.validateJsonElement(json);
      default -> throw new AssertionError("nothing checks " + manifest);
    }
  }

  @Test
  void helmHasNoObjections() {
    LintResult result = new Helm(CHART).lint().strict().call();
    assertThat(result.isFailed()).as("%s", result.getMessages()).isFalse();
  }

  @Test
  void manifestsFitTheApi() throws IOException {
    Map<String, JsonNode> usual = render(Map.of());
    assertThat(usual)
        .containsOnlyKeys("ConfigMap", "PodDisruptionBudget", "Service", "StatefulSet");
    for (JsonNode manifest : usual.values()) {
      check(manifest);
    }
    check(render(Map.of("secretName", "grid-secret")).get("StatefulSet"));
  }

  @Test
  void unknownFieldsAreNoticed() throws IOException {
    JsonNode workers = render(Map.of()).get("StatefulSet");
    ((ObjectNode) workers.at("/spec/template/spec/containers/0")).put("readynessProbe", 1);
    assertThatThrownBy(() -> check(workers)).hasMessageContaining("readynessProbe");
  }

  @Test
  void configurationIsThatOfTheDistributionWithTheNetworkOfKubernetes() throws IOException {
    String text = render(Map.of()).get("ConfigMap").at("/data/hazelcast.yaml").asText();
    Config config = read(text);
    Config usual = HazelgradConfig.readYaml(Path.of("..", "hazelcast.yaml"));
    assertThat(config.getClusterName()).isEqualTo(CLUSTER);
    assertThat(config.getProperties()).isEqualTo(usual.getProperties());
    assertThat(config.getMapConfigs()).isEqualTo(usual.getMapConfigs());
    assertThat(config.getSerializationConfig()).isEqualTo(usual.getSerializationConfig());
    JoinConfig join = config.getAdvancedNetworkConfig().getJoin();
    assertThat(join.getTcpIpConfig().isEnabled()).isFalse();
    assertThat(join.getKubernetesConfig().isEnabled()).isTrue();
    assertThat(join.getKubernetesConfig().getProperties())
        .containsEntry("service-dns", "grid.trainers.svc.cluster.local")
        .containsEntry("service-port", "5801");
    assertThat(port(config, EndpointQualifier.MEMBER)).isEqualTo(5801);
    assertThat(port(config, EndpointQualifier.CLIENT)).isEqualTo(5701);
    // Refuses what would let callers in that the grid does not want.
    assertThat(HazelgradConfig.named("w1").build().prepare(config)).isNotNull();
  }

  private Config read(String text) throws IOException {
    return HazelgradConfig.readYaml(Files.writeString(folder.resolve("hazelcast.yaml"), text));
  }

  private static int port(Config config, EndpointQualifier which) {
    return ((ServerSocketEndpointConfig)
            config.getAdvancedNetworkConfig().getEndpointConfigs().get(which))
        .getPort();
  }

  @Test
  void commandKnowsTheArgumentsOfTheContainer() throws IOException {
    JsonNode workers =
        render(Map.of("secretName", "grid-secret", "arguments[0]", "--roles=trainer"))
            .get("StatefulSet");
    String[] arguments =
        StreamSupport.stream(
                workers.at("/spec/template/spec/containers/0/args").spliterator(), false)
            .map(
                it -> it.asText().replace("$(POD_NAME)", "grid-0").replace("$(POD_IP)", "10.0.0.1"))
            .toArray(String[]::new);
    ParseResult parsed = Main.commandLine().parseArgs(arguments);
    assertThat(parsed.subcommand().commandSpec().name()).isEqualTo("member");
    assertThat(parsed.subcommand().<String>matchedOptionValue("--name", "")).isEqualTo("grid-0");
    assertThat(parsed.subcommand().hasMatchedOption("--secret-file")).isTrue();
    assertThat(parsed.subcommand().hasMatchedOption("--roles")).isTrue();
  }

  @Test
  void fewerThanHalfOfTheWorkersBeginNoGrid() throws IOException {
    for (String[] each : new String[][] {{"1", "1"}, {"2", "2"}, {"3", "2"}, {"5", "3"}}) {
      JsonNode workers = render(Map.of("workers", each[0])).get("StatefulSet");
      assertThat(workers.at("/spec/template/spec/containers/0/args"))
          .anyMatch(it -> it.asText().equals("--set=foundingSize=" + each[1]));
    }
  }

  /** The pod must not be killed before its worker has left. */
  @Test
  void podHasTimeToLeave() throws IOException {
    JsonNode workers = render(Map.of("drain", "60")).get("StatefulSet");
    assertThat(workers.at("/spec/template/spec/terminationGracePeriodSeconds").asInt())
        .isGreaterThan(60 + 20);
  }
}
