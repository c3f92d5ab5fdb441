package io.hazelgrad.tests.guides;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.launcher.Endpoint;
import io.hazelgrad.launcher.FastStart;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.tests.guides.Guide.Program;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The programs of the README and of docs/guides are compiled and run as they stand, each in a JVM
 * of its own, and print what the page says. Only the ports and the cluster's name are replaced, so
 * that the programs meet no other grid on the machine.
 */
class GuidesTest {
  private static final Path HOME = Path.of(System.getProperty("hazelgrad.home", ".."));
  private static final Path GUIDES = HOME.resolve("docs").resolve("guides");

  /** Pages whose code is compiled and run elsewhere in the build, and where. */
  private static final Map<String, Path> BUILT =
      Map.of(
          "spring-boot.md", HOME.resolve("examples/spring-boot/src/main/java/example/shop"),
          "testing.md", HOME.resolve("tests/src/test/java/io/hazelgrad/tests/guides"));

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @TempDir private Path folder;

  private final List<Process> servers = new ArrayList<>();

  @AfterEach
  void end() {
    servers.forEach(Process::destroyForcibly);
  }

  static List<String> pages() throws IOException {
    try (Stream<Path> files = Files.list(GUIDES)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".md") && !name.equals("README.md"))
          .sorted()
          .toList();
    }
  }

  static List<Path> firstPages() {
    return List.of(HOME.resolve("README.md"), GUIDES.resolve("client.md"));
  }

  static List<Path> otherPages() throws IOException {
    List<Path> first = firstPages();
    return pages().stream()
        .filter(name -> !BUILT.containsKey(name))
        .map(GUIDES::resolve)
        .filter(page -> !first.contains(page))
        .toList();
  }

  @Test
  void guidesAreAllInTheList() throws IOException {
    String list = Files.readString(GUIDES.resolve("README.md"));
    for (String page : pages()) {
      assertThat(list).contains("(" + page + ")");
    }
  }

  @Test
  void guidesShowCodeThatTheBuildRuns() throws IOException {
    for (Map.Entry<String, Path> page : BUILT.entrySet()) {
      Guide guide = Guide.read(GUIDES.resolve(page.getKey()));
      assertThat(guide.files()).isNotEmpty();
      for (Guide.SourceFile shown : guide.files()) {
        String whole = stripped(Files.readString(page.getValue().resolve(shown.name())));
        assertThat(whole).as(shown.name()).contains(stripped(shown.body()));
      }
    }
  }

  private static String stripped(String text) {
    List<String> lines = text.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
    return String.join("\n", lines);
  }

  @ParameterizedTest
  @MethodSource("firstPages")
  void programsPrintWhatTheirPageShows(Path page) throws Exception {
    run(page);
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("otherPages")
  void programsOfOtherGuidesPrintWhatTheirPageShows(Path page) throws Exception {
    run(page);
  }

  private void run(Path page) throws Exception {
    String cluster = "guide-" + ProcessHandle.current().pid() + "-" + page.getFileName();
    // A worker takes the next port if one is in use, and its client would not find it.
    Set<Integer> ports = new HashSet<>();
    int members = Endpoint.freePort(ports);
    int clients = Endpoint.freePort(ports);
    Guide guide = Guide.read(page);
    List<Program> programs = guide.programs();
    assertThat(programs).isNotEmpty();
    Files.writeString(
        folder.resolve("hazelcast.yaml"),
        Files.readString(HOME.resolve("hazelcast.yaml"))
            .replace("cluster-name: hazelgrad", "cluster-name: " + cluster)
            .replace("port: 5801", "port: " + members)
            .replace("port: 5701", "port: " + clients));
    List<File> sources = new ArrayList<>();
    for (Guide.SourceFile file : guide.files()) {
      String text =
          file.text()
              .replace("setClusterName(\"hazelgrad\")", "setClusterName(\"" + cluster + "\")")
              .replace("127.0.0.1:5701", "127.0.0.1:" + clients)
              .replace("127.0.0.1:5702", "127.0.0.1:" + (clients + 1));
      sources.add(Files.writeString(folder.resolve(file.name()), text).toFile());
    }
    compile(sources);
    for (Program server : programs.subList(0, programs.size() - 1)) {
      awaitOutput(start(server), server);
    }
    Program last = programs.get(programs.size() - 1);
    Process process = start(last);
    boolean ended = process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(ended).as("%s%s", output(last), errors(last)).isTrue();
    assertThat(output(last)).as("errors: %s", errors(last)).isEqualTo(last.output());
    assertThat(process.exitValue()).isZero();
    servers.remove(process);
    for (Program program :
        programs) { // Two members that leave at once: Hazelcast may log an error.
      assertThat(errors(program)).doesNotContainIgnoringCase("io.hazelgrad");
    }
    for (Process server : servers) {
      server.destroy(); // SIGTERM
      assertThat(server.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(server.exitValue()).isEqualTo(128 + 15);
    }
  }

  private void compile(List<File> sources) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      boolean compiled =
          compiler
              .getTask(
                  null,
                  files,
                  null,
                  List.of("-proc:none", "-d", folder.toString(), "-cp", classPath()),
                  null,
                  files.getJavaFileObjectsFromFiles(sources))
              .call();
      assertThat(compiled).as("compiled").isTrue();
    }
  }

  private static String classPath() {
    return System.getProperty("java.class.path");
  }

  private Process start(Program program) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("@" + HOME.resolve("jvm.flags"));
    if (Runtime.version().feature() >= 24) {
      command.add("@" + HOME.resolve("jvm24.flags"));
    }
    command.addAll(List.of("-Xmx384m", "-XX:+UseSerialGC"));
    command.addAll(FastStart.options(folder));
    command.add("-Dhazelcast.config.schema.validation.enabled=true"); // The page's own file.
    command.add(program.name());
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectError(folder.resolve(program.name() + ".err").toFile())
            .redirectOutput(folder.resolve(program.name() + ".out").toFile())
            .start();
    servers.add(process);
    return process;
  }

  private void awaitOutput(Process process, Program program) {
    Await.until(
        PATIENCE,
        () -> {
          String output = output(program);
          assertThat(process.isAlive()).as("%s%s", output, errors(program)).isTrue();
          return output.equals(program.output()) ? "" : program.name() + " printed " + output;
        });
  }

  private String output(Program program) {
    return text(program.name() + ".out");
  }

  private String errors(Program program) {
    return text(program.name() + ".err");
  }

  private String text(String file) {
    try {
      return Files.readString(folder.resolve(file));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
