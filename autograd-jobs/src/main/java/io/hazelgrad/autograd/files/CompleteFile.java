package io.hazelgrad.autograd.files;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Writes a file completely or not at all: into a file beside it, which is forced to the disk and
 * renamed.
 */
final class CompleteFile {
  private static final int UUID_LENGTH = 36;

  /** The age from which on an unfinished file has no writer any more. */
  private static final Duration ABANDONED = Duration.ofHours(1);

  private CompleteFile() {}

  /** Writes the content of a file. */
  @FunctionalInterface
  interface Content {
    void writeTo(FileChannel channel) throws IOException;
  }

  static void write(Path file, Content content) throws IOException {
    Path target = file.toAbsolutePath();
    String prefix = "." + target.getFileName() + ".";
    Path beside = target.resolveSibling(prefix + UUID.randomUUID());
    Path folder = target.getParent();
    if (folder != null) {
      deleteAbandoned(folder, prefix);
    }
    try {
      try (FileChannel channel =
          FileChannel.open(beside, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        content.writeTo(channel);
        channel.force(true);
      }
      Files.move(beside, target, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(beside);
    }
    if (folder != null) {
      force(folder);
    }
  }

  /** Deletes the unfinished files of writers that were killed; one that lives writes to its own. */
  private static void deleteAbandoned(Path folder, String prefix) {
    Instant limit = Instant.now().minus(ABANDONED);
    try (Stream<Path> files = Files.list(folder)) {
      for (Path each : files.filter(file -> isUnfinished(file, prefix)).toList()) {
        if (Files.getLastModifiedTime(each).toInstant().isBefore(limit)) {
          Files.deleteIfExists(each);
        }
      }
    } catch (IOException | UncheckedIOException e) {
      // Another writer was faster, or the folder cannot be read. The next write tries again.
    }
  }

  private static boolean isUnfinished(Path file, String prefix) {
    String name = file.getFileName().toString();
    return name.startsWith(prefix) && name.length() == prefix.length() + UUID_LENGTH;
  }

  /** Forces the new name to the disk where the system supports it. */
  private static void force(Path folder) {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    } catch (IOException e) {
      // Windows cannot open folders. The file is complete either way.
    }
  }
}
