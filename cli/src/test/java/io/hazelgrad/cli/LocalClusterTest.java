package io.hazelgrad.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.launcher.BadInputException;
import io.hazelgrad.launcher.FailedException;
import io.hazelgrad.launcher.LocalCluster;
import io.hazelgrad.launcher.MemberSettings;
import io.hazelgrad.launcher.WorkerProcess;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Workers in processes of their own, and that none of them outlives who started it. */
@Timeout(120)
class LocalClusterTest {
  private static final long PATIENCE_SECONDS = 20;

  @AfterEach
  void noProcessIsLeft() throws Exception {
    for (ProcessHandle child : ProcessHandle.current().descendants().toList()) {
      child.onExit().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
  }

  @Test
  void workersJoinAreListedAndEnd() throws Exception {
    CompletableFuture<LocalCluster.Exit> exit = new CompletableFuture<>();
    try (LocalCluster cluster = LocalCluster.start(LocalCluster.Spec.of(List.of("A", "B")));
        Grid grid = Grid.join(cluster.joiner("here").build())) {
      cluster.onExit(exit::complete);
      assertThat(grid.workers()).extracting(Worker::name).contains("A", "B", "here");
      assertThat(status(cluster, "--json"))
          .contains("{\"name\":\"A\",\"id\":" + grid.worker("A").id() + ",\"address\":\"127.0.0.1:")
          .contains("\"name\":\"here\"", "\"objects\":0,\"bytes\":0,\"handles\":0");
      assertThat(status(cluster)).contains("WORKER", "A ", "B ", "here ", "OBJECTS", "HANDLES");
      try (RRef<String> text = RRefs.on(grid).local("four")) {
        assertThat(text.isOwner()).isTrue();
        assertThat(status(cluster, "--json")).contains("\"objects\":1,\"bytes\":4,\"handles\":1");
      }

      assertThatThrownBy(() -> cluster.startWorker("A"))
          .isInstanceOf(BadInputException.class)
          .hasMessageContaining("A is running");
      assertNameTaken(cluster);

      cluster.worker("B").stop();
      assertThat(grid.workers()).extracting(Worker::name).containsExactlyInAnyOrder("A", "here");
      cluster.worker("A").kill();
      assertThat(cluster.worker("A").isAlive()).isFalse();
      // B was asked to end, so that its end is no news.
      LocalCluster.Exit ended = exit.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      assertThat(ended.worker()).isEqualTo("A");
      assertThat(ended.output()).anyMatch(line -> line.startsWith("worker A joined "));
    }
  }

  @Test
  @Tag("slow")
  void memberPublishesCountersByHttpAndJmxWhenAsked() throws Exception {
    LocalCluster.Spec spec =
        LocalCluster.Spec.of(List.of("A"))
            .withJvmOptions(List.of("-Dhazelgrad.metrics-port=0", "-Dhazelgrad.jmx=true"));
    try (LocalCluster cluster = LocalCluster.start(spec);
        Grid here = Grid.join(cluster.joiner("here").build())) {
      assertThat(here.rpc().sync("A", Relay::beans)).isGreaterThan(20);
      String joined =
          cluster.worker("A").output().stream()
              .filter(line -> line.startsWith("worker A joined "))
              .findFirst()
              .orElseThrow();
      String uri = joined.substring(joined.lastIndexOf(" http://127.0.0.1:") + 1);
      HttpResponse<String> answer =
          HttpClient.newHttpClient()
              .send(
                  HttpRequest.newBuilder(URI.create(uri))
                      .timeout(Duration.ofSeconds(PATIENCE_SECONDS))
                      .build(),
                  HttpResponse.BodyHandlers.ofString());
      assertThat(answer.body())
          .contains("hazelgrad_rref_num_owner_rrefs{worker=\"A\"} 0.0")
          .contains("hazelgrad_autograd_num_autograd_contexts{worker=\"A\"} 0.0");
    }
  }

  private static void assertNameTaken(LocalCluster cluster) {
    assertThatThrownBy(() -> Grid.join(cluster.joiner("A").build()))
        .isInstanceOf(GridException.class)
        .hasMessageContaining("not unique");
  }

  @Test
  void workerEndsWhenFrozen() {
    ProcessHandle process;
    try (LocalCluster cluster = LocalCluster.start(LocalCluster.Spec.of(List.of("A")))) {
      process = cluster.worker("A").handle();
      cluster.worker("A").pause();
    }
    assertThat(process.isAlive()).isFalse();
  }

  @Test
  void startFailsWithReasonAndLeavesNothing() {
    LocalCluster.Spec spec =
        LocalCluster.Spec.of(List.of("A", "B")).withJvmOptions(List.of("-XX:+NoSuchOption"));
    assertThatThrownBy(() -> LocalCluster.start(spec))
        .isInstanceOf(FailedException.class)
        .hasMessageContaining("worker A")
        .hasMessageContaining("NoSuchOption");
  }

  @Test
  void startLeavesNothingWhenItTakesTooLong() {
    LocalCluster.Spec spec =
        LocalCluster.Spec.of(List.of("A", "B")).withStartTimeout(Duration.ofMillis(1));
    assertThatThrownBy(() -> LocalCluster.start(spec))
        .isInstanceOf(FailedException.class)
        .hasMessageContaining("did not join in time");
  }

  @Test
  void nameIsRefusedWhenWrong() {
    assertThatThrownBy(() -> LocalCluster.start(LocalCluster.Spec.of(List.of("a b"))))
        .isInstanceOf(GridException.class);
    assertThatThrownBy(() -> LocalCluster.start(LocalCluster.Spec.of(List.of("A", "A"))))
        .isInstanceOf(BadInputException.class);
  }

  @Test
  void workersEndWhenParentIsKilled() throws Exception {
    List<String> command = new ArrayList<>(WorkerProcess.java(MemberSettings.home()));
    command.add(Parent.class.getName());
    Process parent =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    List<ProcessHandle> workers;
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(parent.getInputStream(), StandardCharsets.UTF_8))) {
      String pids = lines.readLine();
      workers =
          Stream.of(pids.split(" ", -1))
              .map(pid -> ProcessHandle.of(Long.parseLong(pid)).orElseThrow())
              .toList();
      assertThat(workers).hasSize(2).allMatch(ProcessHandle::isAlive);
    } finally {
      parent.destroyForcibly().waitFor();
    }
    for (ProcessHandle worker : workers) {
      worker.onExit().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
  }

  /** Starts two workers, says their process ids, and waits to be killed. */
  static final class Parent {
    private Parent() {}

    public static void main(String[] args) throws IOException {
      LocalCluster cluster = LocalCluster.start(LocalCluster.Spec.of(List.of("A", "B")));
      System.out.println(
          cluster.worker("A").handle().pid() + " " + cluster.worker("B").handle().pid());
      int unused = System.in.read();
    }
  }

  private static String status(LocalCluster cluster, String... more) {
    List<String> args = new ArrayList<>(List.of("status"));
    args.addAll(List.of(more));
    CommandRun run = CommandRun.against(cluster, args.toArray(String[]::new));
    assertThat(run.err()).isEmpty();
    assertThat(run.code()).isEqualTo(0);
    return run.out();
  }
}
