package io.hazelgrad.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.metrics.Metrics;
import io.hazelgrad.launcher.LocalCluster;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How processes of members end by signals, and what their endpoint for health says meanwhile. */
@Timeout(240)
class DepartureTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int DRAIN_SECONDS = 60;
  private static final Pattern HEALTH = Pattern.compile(", health at (\\S+?/health)");
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final HttpClient HTTP =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();

  private static final Function<String> WHEN_RELEASED = Function.named(Relay.class, "whenReleased");
  private static final Map<String, CompletableFuture<LocalCluster.Exit>> EXITS =
      Map.of("A", new CompletableFuture<>(), "B", new CompletableFuture<>());

  private static ClusterWithGuest both;
  private static LocalCluster cluster;
  private static Grid here;

  @BeforeAll
  static void start() {
    both =
        ClusterWithGuest.start(
            LocalCluster.Spec.of(List.of("A", "B"))
                .withJvmOptions(
                    List.of("-Dhazelgrad.health-port=0", "-Dhazelgrad.drain=" + DRAIN_SECONDS)));
    cluster = both.cluster();
    here = both.here();
    cluster.onExit(exit -> EXITS.get(exit.worker()).complete(exit));
  }

  @AfterAll
  static void end() throws Exception {
    both.close();
  }

  @Test
  void workerLeavesAfterCallsWhenTerminated() throws Exception {
    URI health = health("A");
    HttpResponse<String> ready = get(health, "ready");
    assertThat(ready.statusCode()).isEqualTo(200);
    JsonNode said = JSON.readTree(ready.body());
    assertThat(said.get("worker").asText()).isEqualTo("A");
    assertThat(said.get("state").asText()).isEqualTo("SERVING");
    assertThat(said.get("members").asInt()).isGreaterThan(1);
    assertThat(said.get("quorum").get("held").asBoolean()).isTrue();

    CompletableFuture<String> underWay = here.rpc().async("A", WHEN_RELEASED);
    await("the call is there", () -> here.rpc().sync("A", Relay::held) == 1);
    signal("A", "TERM");

    await("A drains", () -> state(health).equals("DRAINING"));
    assertThat(get(health, "ready").statusCode()).isEqualTo(503);
    assertThat(get(health, "live").statusCode()).isEqualTo(200);
    assertThat(underWay).isNotDone();
    assertThat(here.rpc().sync("A", Relay::release)).as("that it still serves").isTrue();

    assertThat(underWay.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("released");
    assertThat(exitCode("A")).isEqualTo(128 + 15);
    assertThat(cluster.worker("A").output()).anyMatch(line -> line.equals("worker A has left"));
    assertThat(here.workers()).extracting(Worker::name).doesNotContain("A");
    assertThatThrownBy(() -> get(health, "live")).isInstanceOf(ConnectException.class);
  }

  @Test
  void workerEndsAtOnceWhenSignalledTwice() throws Exception {
    URI health = health("B");
    CompletableFuture<String> underWay = here.rpc().async("B", WHEN_RELEASED);
    await("the call is there", () -> here.rpc().sync("B", Relay::held) == 1);
    String signal = isInterruptIgnored() ? "TERM" : "INT";
    signal("B", signal);
    await("B drains", () -> state(health).equals("DRAINING"));
    long start = System.nanoTime();
    signal("B", signal);
    assertThat(exitCode("B")).isEqualTo(128 + (signal.equals("INT") ? 2 : 15));
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isLessThan(Duration.ofSeconds(DRAIN_SECONDS / 2));
    assertLost(underWay);
    if (cluster.worker("A").isAlive()) { // Its leave before they agree would end the quorum.
      await("the others agree on the loss of B", () -> missingOn("A") == 0 && missingHere() == 0);
    }
  }

  @Test
  @Tag("slow")
  void callsAreCutOffWhenTheyDoNotEnd() throws Exception {
    LocalCluster.Spec spec =
        LocalCluster.Spec.of(List.of("D")).withJvmOptions(List.of("-Dhazelgrad.drain=1"));
    try (LocalCluster other = LocalCluster.start(spec);
        Grid grid = Grid.join(other.joiner("here").build())) {
      CompletableFuture<String> underWay = grid.rpc().async("D", WHEN_RELEASED);
      await("the call is there", () -> grid.rpc().sync("D", Relay::held) == 1);
      ProcessHandle process = other.worker("D").handle();
      process.destroy(); // SIGTERM
      process.onExit().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      assertThat(other.worker("D").output())
          .anyMatch(line -> line.contains("cut off 0 calls of its own and 1 of others"));
      assertLost(underWay);
    }
  }

  private static void assertLost(CompletableFuture<String> call) {
    assertThatThrownBy(() -> call.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join())
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).isEqualTo(Status.WORKER_LOST));
  }

  private static URI health(String worker) {
    for (String line : cluster.worker(worker).output()) {
      Matcher found = HEALTH.matcher(line);
      if (found.find()) {
        return URI.create(found.group(1));
      }
    }
    throw new AssertionError("worker " + worker + " did not say where its health is");
  }

  private static String state(URI health) throws Exception {
    return JSON.readTree(get(health, "ready").body()).get("state").asText();
  }

  private static long missingOn(String worker) throws Exception {
    JsonNode quorum = JSON.readTree(get(health(worker), "ready").body()).get("quorum");
    return quorum.get("missing").asLong();
  }

  private static long missingHere() {
    return Objects.requireNonNull(Metrics.of(here).figures().get("quorum.missing"));
  }

  private static HttpResponse<String> get(URI health, String what) throws Exception {
    return HTTP.send(
        HttpRequest.newBuilder(URI.create(health + "/" + what)).timeout(PATIENCE).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  /** A shell that starts the tests in the background makes all their processes ignore SIGINT. */
  private static boolean isInterruptIgnored() throws IOException {
    Path status = Path.of("/proc/self/status");
    return Files.exists(status)
        && Files.readAllLines(status).stream()
            .filter(line -> line.startsWith("SigIgn:"))
            .anyMatch(line -> (Long.parseUnsignedLong(line.substring(7).strip(), 16) & 2) != 0);
  }

  private static void signal(String worker, String signal) throws Exception {
    String pid = Long.toString(cluster.worker(worker).handle().pid());
    assertThat(new ProcessBuilder("kill", "-" + signal, pid).start().waitFor()).isZero();
  }

  private static int exitCode(String worker) throws Exception {
    return EXITS.get(worker).get(PATIENCE.toSeconds(), TimeUnit.SECONDS).code();
  }

  private static void await(String message, Callable<Boolean> condition) throws Exception {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.call()) {
      assertThat(System.nanoTime()).as("time until %s", message).isLessThan(end);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }
}
