package io.hazelgrad.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of the tar where there is no checkout and no Maven. The path has only Java, bash and the
 * tools that the launcher script needs.
 */
class DistributionIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String CLUSTER = "dist-" + UUID.randomUUID();
  private static final int FIRST_PORT = ThreadLocalRandom.current().nextInt(20_000, 32_000);

  /** A space in the name of the folder is part of the test. */
  @TempDir private static Path folder;

  private static Path home;
  private static Path path;

  private final List<Process> started = new ArrayList<>();

  @BeforeAll
  static void unpack() throws Exception {
    home = unpack("a place");
    path = Files.createDirectory(folder.resolve("path"));
    Files.createSymbolicLink(
        path.resolve("java"), Path.of(System.getProperty("java.home"), "bin", "java"));
    for (String tool : List.of("bash", "cat", "cksum", "dirname", "ls", "readlink")) {
      Files.createSymbolicLink(path.resolve(tool), find(tool));
    }
  }

  private static Path unpack(String name) throws Exception {
    Path place = Files.createDirectory(folder.resolve(name));
    Process tar =
        new ProcessBuilder("tar", "-xzf", System.getProperty("hazelgrad.tar"))
            .directory(place.toFile())
            .inheritIO()
            .start();
    assertThat(tar.waitFor()).isZero();
    return place.resolve("hazelgrad-" + System.getProperty("hazelgrad.version"));
  }

  private static Path find(String tool) {
    return Stream.of(System.getenv("PATH").split(":", -1))
        .map(entry -> Path.of(entry, tool))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no " + tool + " on the path"));
  }

  @AfterEach
  void end() {
    started.forEach(Process::destroyForcibly);
  }

  @Test
  void holdsWhatItPromises() {
    assertThat(home.resolve("bin/hazelgrad")).isExecutable();
    for (String file :
        List.of(
            "config/hazelcast.yaml",
            "config/jvm.flags",
            "config/jvm24.flags",
            "chart/hazelgrad/values.yaml",
            "chart/hazelgrad/files/hazelcast.yaml",
            "grafana/hazelgrad.json",
            "sql/hazelcast-sql.jar",
            "LICENSE",
            "THIRD-PARTY.txt",
            "README.md",
            "docs/calls.md")) {
      assertThat(home.resolve(file)).isRegularFile();
    }
    assertThat(home.resolve("pom.xml")).doesNotExist();
  }

  @Test
  void licencesAreListedForEachLibrary() throws IOException {
    String licences = Files.readString(home.resolve("THIRD-PARTY.txt"));
    try (Stream<Path> files = Files.list(home.resolve("lib"))) {
      List<String> missing =
          files
              .map(file -> file.getFileName().toString())
              .filter(name -> !name.startsWith("hazelgrad-"))
              .map(name -> name.replaceAll("-[0-9].*", ""))
              .filter(name -> !licences.contains(":" + name + ":"))
              .toList();
      assertThat(missing).isEmpty();
    }
  }

  @Test
  void libraryHasNeitherBenchmarksNorCharts() throws IOException {
    try (Stream<Path> files = Files.list(home.resolve("lib"))) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .anyMatch(name -> name.startsWith("hazelgrad-cli-"))
          .noneMatch(name -> name.matches("(jmh|xchart|VectorGraphics2D|hazelgrad-bench)-.*"));
    }
  }

  @Test
  void libraryHasTheNativeTensorLibraryOnce() throws IOException {
    long large = 50_000_000;
    try (Stream<Path> files = Files.list(home.resolve("lib"))) {
      assertThat(files.filter(file -> file.toFile().length() > large)).hasSize(1);
    }
  }

  @Test
  void benchSaysThatItNeedsACheckout() throws Exception {
    assertThat(refused(run("bench", "latency"))).contains("bench needs a checkout");
  }

  @Test
  void plotSaysWhatToAdd() throws Exception {
    Path file = folder.resolve("loss.png");
    assertThat(refused(run("demo", "digits", "--plot", file.toString())))
        .contains("--plot needs XChart", "HAZELGRAD_CLASSPATH");
    assertThat(file).doesNotExist();
  }

  @Test
  void saysItsVersionAlsoThroughALink() throws Exception {
    Path link = Files.createSymbolicLink(folder.resolve("link"), home.resolve("bin/hazelgrad"));
    assertThat(ended(run(link, "--version")))
        .isEqualTo("hazelgrad " + System.getProperty("hazelgrad.version") + "\n");
  }

  @Test
  void membersJoinAndAreShownAndLeave() throws Exception {
    Process one = member("m1", FIRST_PORT);
    awaitJoined(one, "m1");
    Process two = member("m2", FIRST_PORT + 2, "--join=127.0.0.1:" + FIRST_PORT);
    awaitJoined(two, "m2");
    String status =
        ended(run("status", "--cluster", CLUSTER, "--join", "127.0.0.1:" + (FIRST_PORT + 1)));
    assertThat(status).contains("m1 ", "m2 ");
    for (Process member : List.of(two, one)) {
      member.destroy(); // SIGTERM
      assertThat(member.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(member.exitValue()).isEqualTo(128 + 15);
    }
  }

  @Test
  void demoTrains() throws Exception {
    String out = ended(run("demo", "digits", "--epochs", "1", "--json"));
    assertThat(out.lines().reduce((first, last) -> last).orElse("")).startsWith("{");
  }

  @Test
  void commandsStartFromTheArchiveAfterItWasMade() throws Exception {
    // Java 17 archives no class of a jar whose path has a space.
    Path launcher = unpack("place").resolve("bin/hazelgrad");
    assertThat(ended(run(launcher, "archive"))).contains("classes-");
    Process process = run(launcher, Map.of("HAZELGRAD_JVM_OPTS", "-Xlog:class+load"), "--version");
    assertThat(ended(process)).contains("io.hazelgrad.launcher.Main source: shared objects file");
  }

  private Process member(String name, int port, String... more) throws IOException {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "member",
                "--name=" + name,
                "--cluster=" + CLUSTER,
                "--port=" + port,
                "--client-port=" + (port + 1)));
    arguments.addAll(List.of(more));
    return run(arguments.toArray(String[]::new));
  }

  private void awaitJoined(Process member, String name) throws IOException {
    Path out = output(member);
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!Files.readString(out).contains("worker " + name + " joined ")) {
      assertThat(member.isAlive()).as(Files.readString(out)).isTrue();
      assertThat(System.nanoTime()).as("time for %s to join", name).isLessThan(end);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  private Process run(String... arguments) throws IOException {
    return run(home.resolve("bin/hazelgrad"), arguments);
  }

  private Process run(Path launcher, String... arguments) throws IOException {
    return run(launcher, Map.of(), arguments);
  }

  private Process run(Path launcher, Map<String, String> environment, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(List.of(launcher.toString()));
    command.addAll(List.of(arguments));
    Path out = output(started.size());
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile());
    builder.environment().clear();
    builder.environment().put("PATH", path.toString());
    builder.environment().putAll(environment);
    Process process = builder.start();
    started.add(process);
    return process;
  }

  private Path output(Process process) {
    return output(started.indexOf(process));
  }

  private static Path output(int number) {
    return folder.resolve("output-" + number);
  }

  /** Returns the only line of a command that ends with exit code 2. */
  private String refused(Process process) throws Exception {
    String out = ended(process, 2);
    assertThat(out.lines()).hasSize(1);
    return out;
  }

  private String ended(Process process) throws Exception {
    return ended(process, 0);
  }

  private String ended(Process process, int code) throws Exception {
    boolean ended = process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    String out = Files.readString(output(process));
    assertThat(ended).as(out).isTrue();
    assertThat(process.exitValue()).as(out).isEqualTo(code);
    return out;
  }
}
