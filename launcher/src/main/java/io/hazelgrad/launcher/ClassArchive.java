package io.hazelgrad.launcher;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An archive of the classes of some jars, which lets a JVM start with little more than half of the
 * processor time. It is an AOT cache since Java 25, and an archive of class data sharing (AppCDS)
 * before.
 *
 * <p>The name of its file stands for Java's version and the jars' paths, sizes and times, so a
 * change of one of them leads to another file. Java 25 does not compare the jars itself. {@link
 * #make} makes the file by a run of {@link ArchiveTraining}. Several processes may do this at once:
 * one of them makes the file, beside its final place, and the others wait. A failure is never one
 * of the caller: JVMs start without an archive then. A JVM accepts an archive if its class path
 * begins with the archive's jars.
 */
final class ClassArchive {
  private static final Logger LOG = LoggerFactory.getLogger(ClassArchive.class);

  private static final int FEATURE = Runtime.version().feature();
  private static final boolean IS_AOT = FEATURE >= 25;
  private static final String SUFFIX = IS_AOT ? ".aot" : ".jsa";
  private static final long TRAINING_SECONDS = 120;

  /** The time after a failed training before the next one; a busy machine may be the reason. */
  private static final Duration PAUSE = Duration.ofHours(1);

  /** The least free space for which an archive is made; it needs about 65 MB, in parts twice. */
  private static final long LEAST_SPACE = 256L << 20;

  /** The number of archives that stay, those of other versions of Java and other jars included. */
  private static final int KEPT = 3;

  /** Held while an archive is made: a file's lock is one between processes only. */
  private static final Object MAKING = new Object();

  private final Path file;
  private final Path folder;
  private final List<Path> jars;
  private final List<String> training;

  /** Describes the archive of these jars in a file, which need not exist. */
  ClassArchive(Path file, List<Path> jars) {
    this(file, jars, List.of(ArchiveTraining.class.getName()));
  }

  /**
   * Describes an archive of the classes that a run of another class loads.
   *
   * @param training the name of a class of the jars, and arguments for its main method
   */
  ClassArchive(Path file, List<Path> jars, List<String> training) {
    this.file = file.toAbsolutePath();
    this.folder = Objects.requireNonNull(this.file.getParent(), "folder");
    this.jars = List.copyOf(jars);
    this.training = List.copyOf(training);
  }

  /**
   * Returns the name of the archive of these jars and this Java.
   *
   * @throws UncheckedIOException if a jar cannot be read
   */
  static String name(List<Path> jars) {
    List<Object> parts =
        new ArrayList<>(List.of(Runtime.version(), System.getProperty("java.home")));
    try {
      for (Path jar : jars) {
        parts.addAll(List.of(jar, Files.size(jar), Files.getLastModifiedTime(jar)));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return "classes-" + FEATURE + "-" + Integer.toHexString(parts.hashCode()) + SUFFIX;
  }

  Path file() {
    return file;
  }

  /**
   * Returns the options with which a JVM uses the archive, or none if there is no archive. They
   * also silence the JVM's reasons why an archive does not fit.
   */
  List<String> options() {
    if (!Files.isRegularFile(file)) {
      return List.of();
    }
    return IS_AOT
        ? List.of("-XX:AOTCache=" + file, "-Xlog:aot*=off", "-Xlog:cds*=off")
        : List.of("-XX:SharedArchiveFile=" + file, "-Xlog:cds*=off");
  }

  /**
   * Makes the archive if it does not exist and was not tried in vain within the last hour. This
   * takes about 10 s.
   *
   * @param beforeTraining what is done first if the archive is made here
   * @return whether the archive exists now
   */
  boolean make(Runnable beforeTraining) {
    try {
      Path failed = Path.of(file + ".failed");
      if (Files.exists(file)) {
        return true;
      }
      if (isRecent(failed)) {
        return false;
      }
      Files.createDirectories(folder);
      synchronized (MAKING) {
        makeLocked(failed, beforeTraining);
      }
      return Files.exists(file);
    } catch (IOException | UncheckedIOException e) {
      LOG.info("no archive of classes is made in {}", folder, e);
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private void makeLocked(Path failed, Runnable beforeTraining)
      throws IOException, InterruptedException {
    try (FileChannel channel =
        FileChannel.open(
            folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      FileLock lock = channel.lock(); // Until the channel is closed.
      if (lock.isValid() && !Files.exists(file) && !isRecent(failed) && hasSpace()) {
        beforeTraining.run();
        removeOld();
        train(failed);
      }
    }
  }

  /** Returns whether a training failed here within the last hour. */
  private static boolean isRecent(Path failed) {
    return System.currentTimeMillis() - modified(failed) < PAUSE.toMillis();
  }

  private boolean hasSpace() throws IOException {
    return Files.getFileStore(folder).getUsableSpace() >= LEAST_SPACE;
  }

  private void train(Path failed) throws IOException, InterruptedException {
    String name = UUID.randomUUID() + ".tmp";
    Path written = folder.resolve(name);
    Path output = folder.resolve(name + ".log");
    List<String> command = new ArrayList<>(WorkerProcess.javaWithFlags(MemberSettings.home()));
    command.add((IS_AOT ? "-XX:AOTCacheOutput=" : "-XX:ArchiveClassesAtExit=") + written);
    command.addAll(List.of("-Xlog:disable", "-cp", joined(jars)));
    command.addAll(training);
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      boolean ended = process.waitFor(TRAINING_SECONDS, TimeUnit.SECONDS);
      if (ended && process.exitValue() == 0 && Files.isRegularFile(written)) {
        Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
      } else {
        LOG.info("the training for an archive of classes failed; its output is in {}", failed);
        // Else each start would try again.
        Files.move(output, failed, StandardCopyOption.REPLACE_EXISTING);
      }
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
      Files.deleteIfExists(written);
      Files.deleteIfExists(output);
    }
  }

  /** Removes all but the newest archives, and what trainings left whose process was killed. */
  private void removeOld() throws IOException {
    List<Path> archives;
    try (Stream<Path> files = Files.list(folder)) {
      archives =
          files
              .filter(file -> file.getFileName().toString().matches(".*\\.(jsa|aot|failed|tmp.*)"))
              .sorted(Comparator.comparingLong(ClassArchive::modified).reversed())
              .toList();
    }
    int kept = 1; // The one that is made.
    for (Path each : archives) {
      boolean isPart = each.getFileName().toString().contains(".tmp");
      if (isPart || ++kept > KEPT) {
        Files.deleteIfExists(each);
      }
    }
  }

  private static long modified(Path file) {
    return file.toFile().lastModified();
  }

  private static String joined(List<Path> entries) {
    return entries.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
  }
}
