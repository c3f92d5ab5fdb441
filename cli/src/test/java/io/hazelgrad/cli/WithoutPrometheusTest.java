package io.hazelgrad.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.launcher.FailedException;
import io.hazelgrad.launcher.LocalCluster;
import java.io.File;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Workers whose class path lacks the library of the Prometheus endpoint. */
@Tag("slow")
class WithoutPrometheusTest {
  private static String classPath() {
    List<String> all =
        Arrays.asList(System.getProperty("java.class.path").split(File.pathSeparator));
    List<String> kept =
        all.stream().filter(entry -> !new File(entry).getName().startsWith("prometheus-")).toList();
    assertThat(kept).as("what is left of the class path").hasSizeLessThan(all.size());
    return String.join(File.pathSeparator, kept);
  }

  @Test
  void publishingFailsWithAdviceWithoutLibrary() {
    LocalCluster.Spec worker =
        LocalCluster.Spec.of(List.of("A"))
            .withJvmOptions(List.of("-cp", classPath(), "-Dhazelgrad.metrics-port=0"));
    assertThatThrownBy(() -> LocalCluster.start(worker).close())
        .isInstanceOf(FailedException.class)
        .hasMessageContaining("BAD_CONFIG")
        .hasMessageContaining("io.prometheus:prometheus-metrics-exporter-httpserver")
        .hasMessageNotContaining("NoClassDefFoundError");
  }

  @Test
  void workerRunsWithoutLibraryWhenItPublishesNothing() {
    LocalCluster.Spec worker =
        LocalCluster.Spec.of(List.of("A")).withJvmOptions(List.of("-cp", classPath()));
    try (LocalCluster cluster = LocalCluster.start(worker)) {
      CommandRun run = CommandRun.against(cluster, "status", "--json");
      assertThat(run.code()).as(run.err()).isZero();
      assertThat(run.out()).contains("\"name\":\"A\"");
    }
  }
}
