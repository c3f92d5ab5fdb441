package io.hazelgrad.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The script {@code bench/compare}, without torch: stored lines, and a stand-in for our command.
 */
final class CompareTest {
  private static final Path BENCH = Path.of("").toAbsolutePath();
  private static final Path SCRIPT = BENCH.resolve("compare");
  private static final String STORED = "src/test/resources/io/hazelgrad/bench/entries.jsonl";
  private static final long LIMIT_SECONDS = 120;

  /** Names of the peer that have no counterpart: a JVM's resident memory says nothing. */
  private static final Set<String> ONLY_PEER = Set.of("rss_idle_worker");

  private static final Pattern REPORTED =
      Pattern.compile("rep\\.(?:latency|rate)\\(f?\"([a-z0-9_]+)(?:\\{kind})?([a-z0-9_]*)\"");
  private static final Pattern LISTED = Pattern.compile("\\(\"(rpc_\\w+|init_rpc)\", ");

  @TempDir private Path folder;

  private record Done(int code, String out, String errors) {
    /** Returns the cells of the row of Markdown that begins so. */
    static List<String> row(String markdown, String begin) {
      String line =
          markdown.lines().filter(each -> each.startsWith("| " + begin)).findFirst().orElseThrow();
      return Stream.of(line.split("\\|")).skip(1).map(String::strip).toList();
    }
  }

  @BeforeEach
  void needsPython() {
    Optional<Integer> code = Optional.empty();
    try {
      code = Optional.of(new ProcessBuilder("python3", "--version").start().waitFor());
    } catch (IOException | InterruptedException e) {
      // There is none.
    }
    assumeTrue(code.equals(Optional.of(0)), "python3 is not installed here");
  }

  @Test
  void joinsStoredLinesAndMakesOneTable() throws Exception {
    Path markdown = folder.resolve("table.md");
    Done done = compare("--from", STORED, "--markdown", markdown.toString());
    assertThat(done.code()).as(done.toString()).isEqualTo(1); // A run is missing.
    String table = Files.readString(markdown);
    assertThat(Done.row(table, "figure"))
        .containsExactly(
            "figure",
            "parameters",
            "unit",
            "ours",
            "ours by operations",
            "peer (shared memory)",
            "peer (tcp)",
            "gRPC-java",
            "ratio",
            "better",
            "goal");
    assertThat(Done.row(table, "rpc_sync_builtin_add"))
        .containsExactly(
            "rpc_sync_builtin_add",
            "",
            "us",
            "50 (40..60)",
            "37 (36..38)",
            "120 (110..130)",
            "95 (90..100; 2 of 3)",
            "-",
            "0.526 (0.444..0.6)",
            "yes",
            "<= 0.5: missed; by operations <= 0.4: met");
    assertThat(Done.row(table, "rpc_async_throughput | function=udf outstanding=64"))
        .containsExactly(
            "rpc_async_throughput",
            "function=udf outstanding=64",
            "calls/s",
            "50,000 (1 of 3)",
            "-",
            "4,000 (1 of 3)",
            "3,000 (1 of 3)",
            "-",
            "12.5",
            "yes",
            ">= 7: met");
    assertThat(Done.row(table, "rpc_async_throughput | function=builtin"))
        .endsWith("-", "-", "-", "-", "-", ">= 7: unknown");
    assertThat(Done.row(table, "rpc_sync_echo"))
        .as("what gRPC-java does stands beside it")
        .endsWith("75 (1 of 3)", "-", "-", "-", "100 (1 of 3)", "0.75", "yes", "<= 0.8: met");
    assertThat(Done.row(table, "rpc_async_throughput | function=echo"))
        .endsWith("30,000 (1 of 3)", "1.5", "yes", ">= 2: missed");
    assertThat(Done.row(table, "ps_updates"))
        .startsWith("ps_updates", "mb=10 mode=push_then_pull trainers=2", "updates/s")
        .endsWith("0.7", "no", ">= 1: missed");
    assertThat(Done.row(table, "transfer_one_way | bytes=1048576 shared_memory"))
        .as("what goes by sockets stands beside the peer's TCP only")
        .endsWith("1,500 (1 of 3)", "-", "-", "1,000 (1 of 3)", "-", "1.5", "yes", ">= 1: met");
    assertThat(table)
        .contains("- missing: latency, round 3, peer (tcp): ended after its limit of 600 s")
        .contains("- load average while measuring: 2.5 to 7.2")
        .contains("- date: 2026-11-22 12:00 UTC; cores: 2");
    assertThat(done.out()).contains("50 (40..60)", "missing: latency, round 3, peer (tcp)");
  }

  @Test
  void refusesWhatIsNoStoredLine() throws Exception {
    Path file = Files.writeString(folder.resolve("bad"), "{\"side\": \"theirs\"}\n");
    Done done = compare("--from", file.toString());
    assertThat(done.code()).isEqualTo(2);
    assertThat(done.errors()).contains("line 1 is no entry", "theirs");
  }

  @Test
  void measuresOursAloneAndEndsWhatTakesTooLong() throws Exception {
    Path command =
        standIn(
            """
            case "$1 ${2:-}" in
              "bench latency") echo '{"name":"a","params":{},"value":1.5,"unit":"us","n":1,"load1":1}' ;;
              "bench ps") echo "no luck" >&2; exit 4 ;;
              "bench rref") sleep 600 & echo $! >"$(dirname "$0")/pid"; wait ;;
            esac
            """);
    Path json = folder.resolve("lines");
    Done done =
        compare(
            "latency",
            "ps",
            "rref",
            "latency",
            "--only-ours",
            "--rounds=2",
            "--limit=2",
            "--json=" + json,
            "--hazelgrad=" + command);
    assertThat(done.code()).as(done.toString()).isEqualTo(1);
    assertThat(done.out())
        .contains("1.5 (1.5..1.5)")
        .contains("missing: ps, round 1, ours: exit code 4: no luck")
        .contains("missing: rref, round 2, ours: ended after its limit of 2 s");
    String pid = Files.readString(folder.resolve("pid")).strip();
    Optional<ProcessHandle> left = ProcessHandle.of(Long.parseLong(pid));
    if (left.isPresent()) { // Killed, but nobody may have collected it yet.
      left.get().onExit().get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }
    Done again = compare("--from", json.toString());
    assertThat(again.out()).isEqualTo(done.out());
  }

  @Test
  void saysWhatIsMissing() throws Exception {
    Done noBuild = compare("latency", "--hazelgrad", folder.resolve("none").toString());
    assertThat(noBuild.code()).isEqualTo(3);
    assertThat(noBuild.errors()).contains("does not run, or there is no build");
    Path broken = folder.resolve("python");
    Done noTorch =
        compare("latency", "--hazelgrad", standIn("").toString(), "--python", "" + broken);
    assertThat(noTorch.code()).isEqualTo(4);
    assertThat(noTorch.errors()).contains("torch", "--only-ours", broken.toString());
    Done noGroup = compare("speed");
    assertThat(noGroup.code()).isEqualTo(2);
    assertThat(noGroup.errors()).contains("there is no group 'speed', only latency");
  }

  @Test
  void oursHasTheNamesOfThePeer() throws Exception {
    Set<String> theirs = new TreeSet<>();
    String script = Files.readString(BENCH.resolve("peer/bench_rpc.py"));
    Matcher reported = REPORTED.matcher(script);
    while (reported.find()) {
      theirs.add(reported.group(1)); // Up to a part that the script fills in.
    }
    Matcher listed = LISTED.matcher(script);
    while (listed.find()) {
      theirs.add(listed.group(1));
    }
    assertThat(theirs).hasSizeGreaterThan(25).contains("transfer_", "init_rpc", "ps_updates");
    theirs.removeAll(ONLY_PEER);
    StringBuilder ours = new StringBuilder();
    try (Stream<Path> sources = Files.walk(BENCH.resolve("src/main/java"))) {
      for (Path source : sources.filter(path -> path.toString().endsWith(".java")).toList()) {
        ours.append(Files.readString(source));
      }
    }
    assertThat(theirs).allSatisfy(name -> assertThat(ours).contains("\"" + name + "\""));
  }

  @Test
  void knowsTheGroupsThatBothHave() throws Exception {
    String script = Files.readString(SCRIPT);
    Matcher groups = Pattern.compile("GROUPS = \\[(.*)]").matcher(script);
    assertThat(groups.find()).isTrue();
    List<String> ours = Stream.of(BenchGroup.values()).map(BenchGroup::label).toList();
    List<String> compared =
        Pattern.compile("\\w+").matcher(groups.group(1)).results().map(MatchResult::group).toList();
    assertThat(compared).hasSizeGreaterThan(8);
    assertThat(ours).containsAll(compared);
  }

  /** Makes a command that stands in for ours. */
  private Path standIn(String body) throws IOException {
    Path command = Files.writeString(folder.resolve("stand-in"), "#!/bin/sh\n" + body);
    assertThat(command.toFile().setExecutable(true)).isTrue();
    return command;
  }

  private Done compare(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("python3", SCRIPT.toString()));
    command.addAll(List.of(arguments));
    Path out = folder.resolve("out");
    Path errors = folder.resolve("errors");
    Process process =
        new ProcessBuilder(command)
            .directory(BENCH.toFile())
            .redirectOutput(out.toFile())
            .redirectError(errors.toFile())
            .start();
    try {
      assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).as("ended in time").isTrue();
    } finally {
      process.destroyForcibly();
    }
    return new Done(
        process.exitValue(),
        Files.readString(out, StandardCharsets.UTF_8),
        Files.readString(errors, StandardCharsets.UTF_8));
  }
}
