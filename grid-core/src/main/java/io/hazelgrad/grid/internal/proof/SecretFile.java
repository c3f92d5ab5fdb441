package io.hazelgrad.grid.internal.proof;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.Proofs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Reads the file with a grid's secret. White space at the end does not count. */
public final class SecretFile {
  /** With fewer bytes the secret could be found by trying. */
  private static final int LEAST = 16;

  private static final int MOST = 4096;

  private SecretFile() {}

  /**
   * Returns the proofs of a configuration.
   *
   * @param property the value of {@link HazelgradConfig#SECRET_FILE_PROPERTY}, which counts if the
   *     configuration itself names no file
   * @throws GridException BAD_CONFIG if the file cannot be read, or its secret is too short or long
   */
  public static Proofs proofs(HazelgradConfig config, @Nullable String property) {
    Path named = config.secret();
    return named == null ? proofs(property) : new HmacProofs(read(named));
  }

  /**
   * Returns the proofs of a Hazelcast configuration alone.
   *
   * @param property the value of {@link HazelgradConfig#SECRET_FILE_PROPERTY}
   * @throws GridException BAD_CONFIG as above
   */
  public static Proofs proofs(@Nullable String property) {
    return property == null || property.isBlank()
        ? Proofs.NONE
        : new HmacProofs(read(Path.of(property)));
  }

  private static byte[] read(Path file) {
    byte[] bytes;
    try {
      bytes = Files.size(file) > MOST ? new byte[MOST + 1] : Files.readAllBytes(file);
    } catch (IOException e) {
      throw new GridException(Status.BAD_CONFIG, "the secret file cannot be read: " + e, e);
    }
    int length = bytes.length;
    while (length > 0 && Character.isWhitespace(bytes[length - 1])) {
      length--;
    }
    if (length < LEAST || bytes.length > MOST) {
      throw new GridException(
          Status.BAD_CONFIG,
          "the secret in %s must have %s to %s bytes, not %s; make one: openssl rand -base64 32"
              .formatted(file, LEAST, MOST, bytes.length > MOST ? "more" : length));
    }
    return Arrays.copyOf(bytes, length);
  }
}
