package io.hazelgrad.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.PassInfo;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.jobs.TrainingJob;
import io.hazelgrad.autograd.jobs.TrainingJobs;
import io.hazelgrad.autograd.jobs.TrainingOptions;
import io.hazelgrad.cli.demo.PictureFit;
import io.hazelgrad.cli.status.PassStatus;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.launcher.LocalCluster;
import io.hazelgrad.launcher.Main;
import io.hazelgrad.launcher.MemberSettings;
import io.hazelgrad.launcher.WorkerProcess;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What {@code status} says of workers in processes of their own. */
@Timeout(120)
class StatusCommandTest {
  private static final long PATIENCE_SECONDS = 60;
  private static final ObjectMapper JSON = new ObjectMapper();

  private static ClusterWithGuest both;
  private static LocalCluster cluster;
  private static Grid here;

  @BeforeAll
  static void start() {
    both = ClusterWithGuest.start(LocalCluster.Spec.of(List.of("A", "B")));
    cluster = both.cluster();
    here = both.here();
  }

  @AfterAll
  static void end() throws Exception {
    both.close();
  }

  private static JsonNode status() throws Exception {
    CommandRun run = CommandRun.against(cluster, "status", "--json");
    assertThat(run.err()).isEmpty();
    assertThat(run.code()).isZero();
    return JSON.readTree(run.out());
  }

  @Test
  void jobsShowsTrainingJobs() throws Exception {
    assertThat(CommandRun.against(cluster, "jobs").out())
        .isEqualToIgnoringNewLines("no training jobs");
    TrainingJob job =
        TrainingJobs.on(here)
            .start("digits", new PictureFit(null), TrainingOptions.builder().epochs(2).build());
    job.await(Duration.ofSeconds(PATIENCE_SECONDS));
    CommandRun run = CommandRun.against(cluster, "jobs", "--json");
    assertThat(run.err()).isEmpty();
    JsonNode shown = JSON.readTree(run.out()).get(0);
    assertThat(shown.get("name").asText()).isEqualTo("digits");
    assertThat(shown.get("phase").asText()).isEqualTo("COMPLETED");
    assertThat(shown.get("step").asInt()).isEqualTo(90).isEqualTo(shown.get("steps").asInt());
    assertThat(shown.get("loss").asDouble()).isBetween(0.0, 2.3);
    assertThat(shown.get("trainers")).hasSize(3); // A, B and this JVM.
    assertThat(CommandRun.against(cluster, "jobs").out()).contains("step 90 of 90, epoch 1, loss");
    job.forget();
  }

  private static JsonNode worker(JsonNode status, String name) {
    for (JsonNode worker : status.get("workers")) {
      if (worker.get("name").asText().equals(name)) {
        return worker;
      }
    }
    throw new AssertionError("no worker " + name + " in " + status);
  }

  private static JsonNode calls(JsonNode worker, String destination) {
    for (JsonNode calls : worker.get("calls")) {
      if (calls.get("destination").asText().equals(destination)
          && calls.get("kind").asText().equals("call.function")) {
        return calls;
      }
    }
    throw new AssertionError("no calls to " + destination + " in " + worker);
  }

  @Test
  void jsonHasWorkersCallsReferencesAndContexts() throws Exception {
    assertThat(here.rpc().sync("A", Relay::nameOf, "B")).isEqualTo("B");
    assertThatThrownBy(() -> here.rpc().sync("B", Relay::failing));
    try (RRef<String> text = RRefs.on(here).local("four");
        Context context = Autograd.on(here).open()) {
      assertThat(text.isOwner() && context != null).isTrue();
      JsonNode status = status();
      assertThat(status.get("cluster").asText()).isEqualTo(cluster.name());
      JsonNode totals = status.get("totals");
      assertThat(totals.get("workers").asInt()).isEqualTo(3);
      assertThat(totals.get("objects").asInt()).isEqualTo(1);
      assertThat(totals.get("bytes").asInt()).isEqualTo(4);
      assertThat(totals.get("handles").asInt()).isEqualTo(1);

      JsonNode own = worker(status, "here");
      assertThat(own.get("id").asLong()).isEqualTo(here.worker().id());
      assertThat(own.get("contexts").asInt()).isEqualTo(1);
      assertThat(own.get("objects").asInt()).isEqualTo(1);
      assertThat(calls(own, "B").get("errors").asInt()).isEqualTo(1);
      JsonNode a = worker(status, "A");
      assertThat(a.get("contexts").asInt()).isZero();
      assertThat(a.get("active").asInt()).isZero();
      assertThat(calls(a, "B").get("calls").asInt()).isEqualTo(1);
      assertThat(calls(a, "B").get("latency").get("p50").asLong()).isPositive();
      assertThat(a.get("figures").get("agent.thread_pool_size").asInt()).isEqualTo(16);
    }
  }

  @Test
  void lastFailedPassIsListed() throws Exception {
    try (Context context = Autograd.on(here).open()) {
      Variable x = Variable.parameter(Tensor.of(new double[] {1, 2}, 2));
      Variable loss = x.mul(x).sum();
      context.backward(loss);
      assertThatThrownBy(() -> context.backward(loss)).isInstanceOf(GridException.class);
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
      JsonNode failed = status().at("/passes/last_failed");
      while (failed.isNull() && System.nanoTime() < end) { // It is written once a second.
        failed = status().at("/passes/last_failed");
      }
      assertThat(failed.get("worker").asText()).isEqualTo("here");
      assertThat(failed.get("status").asText()).isEqualTo("GRAPH_FREED");
      assertThat(failed.get("error").asText()).contains("freed");
      assertThat(failed.get("milliseconds").asDouble()).isPositive();
      assertThat(CommandRun.against(cluster, "status").out().lines())
          .hasSize(6)
          .last()
          .asString()
          .startsWith("failed: pass ")
          .contains(" of here in context ", "GRAPH_FREED: ");
    }
  }

  @Test
  void runningPassesAreListed() {
    Instant now = Instant.parse("2030-01-01T00:00:10Z");
    PassInfo pass =
        new PassInfo(
            "1-2",
            "1/3",
            0,
            PassInfo.State.RUNNING,
            "w1",
            false,
            List.of("w1", "w2"),
            4,
            5,
            null,
            now.minusMillis(1500),
            null,
            null,
            null,
            List.of());
    assertThat(PassStatus.of(now, List.of(pass)).text())
        .isEqualToIgnoringNewLines(
            "runs: pass 1/3 of w1 in context 1-2, w1, w2, 5 messages in 4 waves, begun 1.5 s ago");
  }

  @Test
  void tableHasLineForEachWorkerAndTotals() {
    CommandRun run = CommandRun.against(cluster, "status");
    assertThat(run.err()).isEmpty();
    assertThat(run.out().lines())
        .hasSizeBetween(5, 6) // Of another test, a pass that failed.
        .first()
        .asString()
        .contains("WORKER", "ADDRESS", "OBJECTS", "HANDLES", "ACTIVE", "CONTEXTS", "FAILED");
    assertThat(run.out().lines().skip(1).limit(4).map(line -> line.split(" ", 2)[0]))
        .containsExactlyInAnyOrder("A", "B", "here", "(all)");
  }

  @Test
  void watchRunsUntilInterruptedAndEndsAtOnce() throws Exception {
    List<String> command = new ArrayList<>(WorkerProcess.java(MemberSettings.home()));
    command.add(Main.class.getName());
    command.addAll(List.of(CommandRun.withConnection(cluster, "status", "--watch", "--json")));
    Process process = new ProcessBuilder(command).start();
    try (BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        BufferedReader errors =
            new BufferedReader(
                new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
      for (int i = 0; i < 3; i++) {
        assertThat(JSON.readTree(lines.readLine()).get("workers")).hasSize(3);
      }
      assertThat(clients()).isEqualTo(1);
      // Not INT, which a shell lets those ignore that it starts in the background.
      Process kill = new ProcessBuilder("kill", "-TERM", Long.toString(process.pid())).start();
      assertThat(kill.waitFor()).isZero();
      assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isEqualTo(143); // What SIGTERM ends a JVM with.
      assertThat(errors.readLine()).isNull();
      assertThat(clients()).isZero(); // Ten seconds later if the grid had had to find out.
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  /** Returns how many clients the grid knows. */
  private static int clients() {
    return here.hazelcast().getMap("hazelgrad.clients").size();
  }

  @Test
  void clusterIsNamedWhenAbsent() {
    CommandRun run = CommandRun.of("status", "--cluster", "nobody", "--join", "127.0.0.1:1");
    assertThat(run.code()).isEqualTo(Main.FAILED);
    assertThat(run.err()).contains("no member of cluster nobody answers at 127.0.0.1:1");
  }
}
