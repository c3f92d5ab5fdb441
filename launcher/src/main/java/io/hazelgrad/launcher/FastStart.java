package io.hazelgrad.launcher;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * JVM options for processes that this JVM starts: its class path, and what makes their start quick.
 *
 * <p>The system property {@value #ARCHIVE} names the file of a {@link ClassArchive}. The launcher
 * script sets it. The first start makes the archive; the next ones use it. A JVM accepts an archive
 * if its class path begins with the archive's jars, so jars come first here.
 *
 * <p>The system property {@value #PROPERTY}, which only tests set, names a folder for such a file.
 * Workers then also compile with the first compiler only, and do not check their YAML file against
 * the schema.
 */
public final class FastStart {
  static final String ARCHIVE = "hazelgrad.archive";
  static final String PROPERTY = "hazelgrad.fast-start";

  private FastStart() {}

  /** Returns the options, with this JVM's class path and more entries. */
  public static List<String> options(Path... further) {
    List<String> options = new ArrayList<>();
    if (!System.getProperty(PROPERTY, "").isEmpty()) {
      options.add("-XX:TieredStopAtLevel=1");
      options.add("-Dhazelcast.config.schema.validation.enabled=false");
    }
    List<Path> classPath = classPath();
    archive()
        .ifPresent(
            archive -> {
              if (archive.make(FastStart::announce)) {
                options.addAll(archive.options());
              }
              List<Path> jars = jars(classPath);
              classPath.removeAll(jars);
              classPath.addAll(0, jars);
            });
    classPath.addAll(List.of(further));
    options.add("-cp");
    options.add(
        classPath.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)));
    return options;
  }

  /** Makes the archive if it is missing, which takes about 10 s. */
  static void prepare() {
    archive().ifPresent(archive -> archive.make(FastStart::announce));
  }

  /** Returns the archive of the jars of this JVM's class path, if a property names its place. */
  static Optional<ClassArchive> archive() {
    List<Path> jars = jars(classPath());
    String folder = System.getProperty(PROPERTY, "");
    String file = System.getProperty(ARCHIVE, "");
    if (!folder.isEmpty()) {
      return Optional.of(new ClassArchive(Path.of(folder, ClassArchive.name(jars)), jars));
    }
    return file.isEmpty() ? Optional.empty() : Optional.of(new ClassArchive(Path.of(file), jars));
  }

  private static List<Path> classPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .filter(entry -> !entry.isEmpty())
        .map(entry -> Path.of(entry).toAbsolutePath())
        .collect(Collectors.toCollection(ArrayList::new));
  }

  private static List<Path> jars(List<Path> classPath) {
    return classPath.stream().filter(Files::isRegularFile).toList();
  }

  private static void announce() {
    if (Boolean.getBoolean("hazelgrad.terminal")) {
      System.err.println("hazelgrad: preparing quick starts, once for these jars ...");
    }
  }
}
