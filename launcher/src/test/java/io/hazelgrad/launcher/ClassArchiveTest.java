package io.hazelgrad.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of archives of one small jar, in place of all jars of a worker. */
class ClassArchiveTest {
  private static final String PROGRAM = "Program";
  private static final String SHARED = "Program source: shared objects file";
  private static final String FROM_JAR = "Program source: file:";

  @TempDir private Path folder;

  private Path jar;

  @BeforeEach
  void makeJar() throws IOException {
    makeJar(List.of());
  }

  private void makeJar(List<String> entries) throws IOException {
    Path source = folder.resolve("Program.java");
    Files.writeString(source, "class Program { public static void main(String[] arguments) {} }");
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    assertThat(compiler.run(null, null, null, source.toString())).isZero();
    jar = folder.resolve("program.jar");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
      out.putNextEntry(new JarEntry("Program.class"));
      Files.copy(folder.resolve("Program.class"), out);
      for (String entry : entries) {
        out.putNextEntry(new JarEntry(entry));
      }
    }
  }

  private ClassArchive archive() {
    return archive(List.of(PROGRAM));
  }

  private ClassArchive archive(List<String> training) {
    Path file = folder.resolve("archives").resolve(ClassArchive.name(List.of(jar)));
    return new ClassArchive(file, List.of(jar), training);
  }

  @Test
  void optionsAreEmptyBeforeTheArchiveIsMade() {
    assertThat(archive().options()).isEmpty();
  }

  @Test
  void classesComeFromTheArchiveAfterItIsMade() throws Exception {
    assertThat(archive().make(() -> {})).isTrue();

    assertThat(run(archive().options())).contains(SHARED);
  }

  @Test
  void archiveIsMadeOnceForTheSameJars() {
    List<String> made = new ArrayList<>();

    assertThat(archive().make(() -> made.add("first"))).isTrue();
    assertThat(archive().make(() -> made.add("second"))).isTrue();

    assertThat(made).containsExactly("first");
  }

  @Test
  void archiveIsMadeOnceWhenTwoMakersStartTogether() {
    List<String> made = new ArrayList<>(); // Guarded by the lock of the maker.
    CompletableFuture<Boolean> other =
        CompletableFuture.supplyAsync(() -> archive().make(() -> made.add("other")));

    assertThat(archive().make(() -> made.add("own"))).isTrue();
    assertThat(other.join()).isTrue();

    assertThat(made).hasSize(1);
  }

  @Test
  void archiveIsRenewedWhenAJarChanges() throws Exception {
    assertThat(archive().make(() -> {})).isTrue();

    makeJar(List.of("further"));

    assertThat(run(archive().options())).contains(FROM_JAR);
    assertThat(archive().make(() -> {})).isTrue();
    assertThat(run(archive().options())).contains(SHARED);
  }

  @Test
  void archiveIsNotUsedWhenOnlyTheTimeOfAJarChanges() throws Exception {
    assertThat(archive().make(() -> {})).isTrue();

    Files.setLastModifiedTime(jar, FileTime.from(Instant.parse("2020-01-01T00:00:00Z")));

    assertThat(archive().options()).isEmpty();
  }

  @Test
  void onlyTheNewestArchivesStayWhenAJarChangesOften() throws Exception {
    for (int day = 1; day <= 4; day++) {
      Files.setLastModifiedTime(
          jar, FileTime.from(Instant.parse("2020-01-0" + day + "T00:00:00Z")));
      assertThat(archive().make(() -> {})).isTrue();
    }

    try (Stream<Path> files = Files.list(folder.resolve("archives"))) {
      assertThat(files.filter(file -> file.getFileName().toString().startsWith("classes-")))
          .hasSize(3)
          .contains(archive().file());
    }
  }

  @Test
  void makeReturnsFalseWhenTheFolderCannotBeMade() throws Exception {
    Files.createFile(folder.resolve("archives"));

    assertThat(archive().make(() -> {})).isFalse();
    assertThat(run(archive().options())).contains(FROM_JAR);
  }

  @Test
  void trainingIsRepeatedAnHourAfterItFailed() throws Exception {
    List<String> trainings = new ArrayList<>();
    ClassArchive bad = archive(List.of("no.such.Program"));

    assertThat(bad.make(() -> trainings.add("first"))).isFalse();
    assertThat(bad.make(() -> trainings.add("second"))).isFalse();

    assertThat(trainings).containsExactly("first");
    Path failed = Path.of(bad.file() + ".failed");
    assertThat(failed).content().contains("no.such.Program");

    Files.setLastModifiedTime(failed, FileTime.from(Instant.now().minus(2, ChronoUnit.HOURS)));
    assertThat(bad.make(() -> trainings.add("third"))).isFalse();
    assertThat(trainings).containsExactly("first", "third");
  }

  /** Runs the program with a log of classes and returns what it says of the program. */
  private String run(List<String> options) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(WorkerProcess.javaWithFlags(MemberSettings.home()));
    command.addAll(options);
    command.addAll(List.of("-Xlog:class+load", "-cp", jar.toString()));
    command.add(PROGRAM);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(out).isZero();
    return out.lines().filter(line -> line.contains(PROGRAM)).collect(Collectors.joining("\n"));
  }
}
