package io.hazelgrad.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.hazelcast.cluster.Address;
import com.hazelcast.cluster.Member;
import com.hazelcast.instance.EndpointQualifier;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.profile.WorkerProfile;
import io.hazelgrad.launcher.Endpoint;
import io.hazelgrad.launcher.LocalCluster;
import io.hazelgrad.launcher.Main;
import io.hazelgrad.launcher.MemberSettings;
import io.hazelgrad.launcher.WorkerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A trace of workers in processes of their own. */
@Timeout(120)
class TraceCommandTest {
  private static final long PATIENCE_SECONDS = 60;

  /** This bounds what comparing clocks is off, on a busy machine. */
  private static final double MOST_OFF_MICROS = 100_000;

  private static ClusterWithGuest both;
  private static LocalCluster cluster;
  private static Grid here;

  @TempDir private Path folder;

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

  private CommandRun trace(Path file) {
    return CommandRun.against(cluster, "trace", "--seconds", "2", "--out", file.toString());
  }

  @Test
  void fileHasEventsOfAllWorkersOnOneClock() throws Exception {
    Path file = folder.resolve("trace.json");
    AtomicBoolean over = new AtomicBoolean();
    CompletableFuture<Void> calling =
        CompletableFuture.runAsync(
            () -> {
              while (!over.get()) {
                assertThat(here.rpc().sync("A", Relay::nameOf, "B")).isEqualTo("B");
              }
            });
    CommandRun run;
    try {
      run = trace(file);
    } finally {
      over.set(true);
      calling.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
    assertThat(run.err()).isEmpty();
    assertThat(run.code()).isZero();
    assertThat(run.out()).startsWith(file + ": ").endsWith(" events of 3 workers\n");

    Map<Long, String> workers = new HashMap<>();
    Map<String, Set<String>> names = new HashMap<>();
    Map<String, JsonNode> byId = new HashMap<>();
    List<JsonNode> events = new ArrayList<>();
    new ObjectMapper().readTree(file.toFile()).get("traceEvents").forEach(events::add);
    for (JsonNode event : events) {
      if (event.get("name").asText().equals("process_name")) {
        workers.put(event.get("pid").asLong(), event.get("args").get("name").asText());
      }
    }
    assertThat(workers.values()).containsExactlyInAnyOrder("A", "B", "here");
    for (JsonNode event : events) {
      if (event.get("ph").asText().equals("X")) {
        assertThat(event.get("ts").asDouble()).isNotNegative();
        assertThat(event.get("dur").asDouble()).isNotNegative();
        String worker = workers.get(event.get("pid").asLong());
        names.computeIfAbsent(worker, key -> new HashSet<>()).add(event.get("name").asText());
        assertThat(byId.put(event.get("args").get("id").asText(), event)).isNull();
      }
    }
    assertThat(names.get("here"))
        .anyMatch(name -> name.contains("Relay::nameOf(") && name.endsWith("(here -> A)"));
    assertThat(names.get("A"))
        .anyMatch(name -> name.contains("Relay::name(") && name.endsWith("(A -> B)"));
    assertThat(names.get("A"))
        .anyMatch(name -> name.startsWith(Relay.class.getName() + "::nameOf"));
    assertThat(names.get("B")).anyMatch(name -> name.startsWith(Relay.class.getName() + "::name"));
    assertThat(names.values())
        .allSatisfy(set -> assertThat(set).noneMatch(name -> name.contains("WorkerProfile")));

    assertFunctionsLieWithinTheirCalls(byId);
  }

  /** But for what the clocks' readings are off. */
  private static void assertFunctionsLieWithinTheirCalls(Map<String, JsonNode> byId) {
    List<JsonNode> functions =
        byId.values().stream()
            .filter(event -> event.get("cat").asText().equals("function"))
            .filter(event -> event.get("args").has("parent"))
            .filter(event -> byId.containsKey(event.get("args").get("parent").asText()))
            .toList();
    assertThat(functions).isNotEmpty();
    for (JsonNode function : functions) {
      JsonNode call = byId.get(function.get("args").get("parent").asText());
      double before = call.get("ts").asDouble() - function.get("ts").asDouble();
      assertThat(before).isLessThan(MOST_OFF_MICROS);
      assertThat(end(function) - end(call)).isLessThan(MOST_OFF_MICROS);
    }
  }

  /** Its monotonic clock is ahead by so much, as another machine's may be. */
  private static final long AHEAD_SECONDS = 100_000;

  /** As root, Linux gives a process a clock of its own. */
  private static boolean canMoveClocks() {
    try {
      return new ProcessBuilder("unshare", "-T", "--monotonic", "1", "--fork", "true")
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static Process startAhead(String worker) throws IOException {
    Member seed = here.hazelcast().getCluster().getLocalMember();
    Address address =
        seed.getAddressMap().getOrDefault(EndpointQualifier.MEMBER, seed.getAddress());
    Set<Integer> ports = new HashSet<>();
    List<String> command = new ArrayList<>();
    command.addAll(List.of("unshare", "-T", "--monotonic", Long.toString(AHEAD_SECONDS)));
    command.addAll(List.of("--fork", "--kill-child"));
    command.addAll(WorkerProcess.java(MemberSettings.home()));
    command.addAll(List.of(Main.class.getName(), "member", "--name=" + worker));
    command.addAll(List.of("--cluster=" + cluster.name(), "--exit-with-parent"));
    command.addAll(
        List.of("--port=" + Endpoint.freePort(ports), "--client-port=" + Endpoint.freePort(ports)));
    command.add("--join=" + address.getHost() + ":" + address.getPort());
    return new ProcessBuilder(command)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  private static boolean isThere(String worker) {
    return here.workers().stream().anyMatch(each -> each.name().equals(worker));
  }

  /** Its functions lie within the calls of others all the same. */
  @Test
  @Tag("slow")
  void eventsAreShiftedWhenClockOfWorkerDiffers() throws Exception {
    assumeTrue(canMoveClocks(), "this system gives no process a clock of its own");
    Process ahead = startAhead("ahead");
    try {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
      while (!isThere("ahead") && System.nanoTime() < end) {
        Thread.onSpinWait();
      }
      long difference = here.rpc().sync("ahead", WorkerProfile::clock) - System.nanoTime();
      assertThat(difference)
          .isGreaterThan(TimeUnit.SECONDS.toNanos(AHEAD_SECONDS) - TimeUnit.SECONDS.toNanos(60));
      Path file = folder.resolve("ahead.json");
      AtomicBoolean over = new AtomicBoolean();
      CompletableFuture<Void> calling =
          CompletableFuture.runAsync(
              () -> {
                while (!over.get()) {
                  assertThat(here.rpc().sync("ahead", Relay::name)).isEqualTo("ahead");
                }
              });
      try {
        assertThat(trace(file).code()).isZero();
      } finally {
        over.set(true);
        calling.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      }
      Map<String, JsonNode> byId = new HashMap<>();
      for (JsonNode event : new ObjectMapper().readTree(file.toFile()).get("traceEvents")) {
        if (event.get("ph").asText().equals("X")) {
          byId.put(event.get("args").get("id").asText(), event);
        }
      }
      assertFunctionsLieWithinTheirCalls(byId);
      assertThat(byId.values())
          .anyMatch(
              event ->
                  event.get("cat").asText().equals("function")
                      && event.get("name").asText().contains("Relay::name"));
    } finally {
      ahead.getOutputStream().close();
      if (!ahead.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        ahead.destroyForcibly();
      }
    }
  }

  private static double end(JsonNode event) {
    return event.get("ts").asDouble() + event.get("dur").asDouble();
  }

  @Test
  void recordingEndsWithCommand() {
    assertThat(trace(folder.resolve("once.json")).code()).isZero();
    assertThat(here.rpc().sync("A", Relay::name)).isEqualTo("A");
    CommandRun again = trace(folder.resolve("twice.json"));
    assertThat(again.code()).isZero();
    assertThat(Files.exists(folder.resolve("twice.json"))).isTrue();
  }

  @Test
  void inputIsRefusedBeforeRecordingWhenWrong() {
    CommandRun nowhere = trace(folder.resolve("none").resolve("trace.json"));
    assertThat(nowhere.code()).isEqualTo(Main.BAD_INPUT);
    assertThat(nowhere.err()).contains("--out", folder.resolve("none").toString());
    CommandRun never =
        CommandRun.of("trace", "--seconds", "0", "--out", folder.resolve("t.json").toString());
    assertThat(never.code()).isEqualTo(Main.BAD_INPUT);
    assertThat(never.err()).contains("--seconds", ": 0");
  }
}
