package io.hazelgrad.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.launcher.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What the command says to wrong input: one line that names it, and exit code 2. */
class CommandLineTest {
  @TempDir private Path folder;

  static Stream<Arguments> mistakes() {
    return Stream.of(
        mistake("command", ""),
        mistake("'dance'", "dance"),
        mistake("--name", "member"),
        mistake("'--colour'", "member --name A --colour"),
        mistake("a/b", "member --name a/b"),
        mistake("name", "member --name="),
        mistake("/no/such.yaml", "member --name A --config /no/such.yaml"),
        mistake("no.such.Type", "member --name A --functions no.such.Type"),
        mistake("99999", "member --name A --port 99999"),
        mistake("-1", "member --name A --drain -1"),
        mistake("--sql needs hazelcast-sql", "member --name A --sql"),
        mistake("maxRunning=many", "member --name A --set maxRunning=many"),
        mistake("at least 1", "member --name A --set maxQueued=0"),
        mistake("true or false", "member --name A --set quorum=no"),
        mistake("true or false", "member --name A --set uniqueNames=1"),
        mistake("a role has", "member --name A --roles a/b"),
        mistake("knows no speed=9", "member --name A --set speed=9"),
        mistake("70000", "member --name A --health-port 70000"),
        mistake("70000", "member --name A --page-port 70000"),
        mistake("70000", "dashboard --port 70000"),
        mistake("bench needs a checkout", "bench latency --json"),
        mistake("'many'", "member --name A --port many"),
        mistake("'nowhere'", "member --name A --join nowhere"),
        mistake("'x:0'", "status --join x:0"),
        mistake("--longer-than must not be negative: -1.0", "why --longer-than=-1"),
        mistake("--longer-than must not be negative: NaN", "why --longer-than NaN"));
  }

  private static Arguments mistake(String named, String line) {
    return Arguments.of(named, line);
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void errorNamesMistake(String named, String line) {
    assertBadInput(named, line.isEmpty() ? new String[0] : line.split(" ", -1));
  }

  @Test
  void errorNamesPortInUse() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(taken.getLocalPort());
      assertBadInput(port, "member", "--name", "A", "--port", port);
      assertBadInput(port, "member", "--name", "A", "--client-port", port);
      assertBadInput(port, "member", "--name", "A", "--health-port", port);
      assertBadInput(port, "member", "--name", "A", "--metrics-port", port);
      assertBadInput(port, "member", "--name", "A", "--page-port", port);
    }
  }

  @Test
  void errorNamesMalformedFile() throws IOException {
    Path file = Files.writeString(folder.resolve("broken.yaml"), "hazelcast: [\n  nonsense");
    assertBadInput("broken.yaml", "member", "--name", "A", "--config", file.toString());
  }

  @Test
  void errorNamesUnknownSetting() throws IOException {
    Path file =
        Files.writeString(folder.resolve("unknown.yaml"), "hazelcast:\n  no-such-setting: 1\n");
    assertBadInput("no-such-setting", "member", "--name", "A", "--config", file.toString());
  }

  @Test
  void fileIsRefusedWithoutEndpoints() throws IOException {
    Path file = Files.writeString(folder.resolve("old.yaml"), "hazelcast:\n  cluster-name: old\n");
    assertBadInput("advanced-network", "member", "--name", "A", "--config", file.toString());
  }

  @Test
  void verboseAddsStackTrace() {
    StringWriter err = new StringWriter();
    int code =
        Main.run(new PrintWriter(err, true), "member", "--verbose", "--name", "A", "--port", "0");
    assertThat(code).isEqualTo(2);
    assertThat(err.toString().lines()).hasSizeGreaterThan(1).anyMatch(line -> line.contains("at "));
  }

  private static void assertBadInput(String named, String... args) {
    StringWriter err = new StringWriter();
    int code = Main.run(new PrintWriter(err, true), args);
    assertThat(err.toString().lines()).singleElement().asString().contains(named);
    assertThat(code).isEqualTo(2);
  }
}
