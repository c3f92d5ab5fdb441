package io.hazelgrad.tests.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.nd4j.linalg.factory.Nd4j;

/** What this JVM has of ND4J's native part. */
final class Natives {
  private static final List<String> PARTS = List.of("nd4j", "openblas", "javacpp");

  private Natives() {}

  /** Returns the native libraries of ND4J's that are mapped, as the system says; or none. */
  static String describe() {
    try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
      List<String> found =
          maps.filter(line -> line.contains(".so"))
              .map(line -> line.substring(line.lastIndexOf('/') + 1).toLowerCase(Locale.ROOT))
              .filter(library -> PARTS.stream().anyMatch(library::contains))
              .distinct()
              .toList();
      return found.isEmpty() ? "none" : String.join(",", found);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Uses ND4J, and tells how that ended. */
  static String use() {
    try {
      return "made " + Nd4j.zeros(2).length();
    } catch (LinkageError e) {
      return "failed";
    }
  }
}
