package io.hazelgrad.launcher;

import com.hazelcast.config.Config;
import io.hazelgrad.grid.HazelgradConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32;

/**
 * A configuration file of a member. The shipped {@code hazelcast.yaml} is read without Hazelcast's
 * check against its schema, which takes a quarter of the processor time of a member's start. The
 * tests of this module check the shipped file. Each other file is checked when it is read.
 */
final class ConfigurationFile {
  /** Hazelcast reads this system property, and no property of a single file. */
  private static final String CHECK = "hazelcast.config.schema.validation.enabled";

  /** The checksum of the shipped file. A test compares it, and fails when the file was edited. */
  static final int SHIPPED = 0xE8DD597C;

  private ConfigurationFile() {}

  /** Reads the file. Throws as {@link HazelgradConfig#readYaml}. */
  static synchronized Config read(Path file) {
    if (System.getProperty(CHECK) != null || !isShipped(file)) {
      return HazelgradConfig.readYaml(file);
    }
    System.setProperty(CHECK, "false");
    try {
      return HazelgradConfig.readYaml(file);
    } finally {
      System.clearProperty(CHECK);
    }
  }

  private static boolean isShipped(Path file) {
    try {
      return checksum(file) == SHIPPED;
    } catch (IOException e) {
      return false; // Hazelcast reports it.
    }
  }

  static int checksum(Path file) throws IOException {
    CRC32 checksum = new CRC32();
    checksum.update(Files.readAllBytes(file));
    return (int) checksum.getValue();
  }
}
