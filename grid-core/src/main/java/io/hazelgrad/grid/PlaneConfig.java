package io.hazelgrad.grid;

import java.nio.file.Path;

/**
 * The limits for the ways of large tensors: in the message, through memory shared by the processes
 * of a host, by streams, or in chunks. The choice is made for each tensor. The system properties
 * {@code hazelgrad.plane.directory}, {@code .shared-bytes}, {@code .inline-bytes}, {@code
 * .incoming-bytes} and {@code .port} replace the defaults.
 *
 * @param directory the directory for files of shared memory; workers of one host share memory if
 *     they see the same files there. Default {@code /dev/shm}
 * @param sharedBytes the most shared memory of this worker; 0 for none, -1, the default, for a
 *     quarter of what is free when it starts, or 4 GiB if that is less
 * @param inlineBytes larger tensors leave the message where there is another way; 0 to 1 MiB,
 *     default 32 KiB
 * @param incomingBytes the most bytes that arrive at a time, by streams and in chunks; more are
 *     refused. Default half of the heap. At most half as much memory outside the heap is kept for
 *     tensors from streams
 * @param port the port, on the address of the member, from which others fetch large tensors; 0, the
 *     default, for any that is free, -1 for none. If it cannot be reached, or the member encrypts
 *     its connections, tensors go in Hazelcast's messages, at a third of the speed or less
 */
public record PlaneConfig(
    Path directory, long sharedBytes, int inlineBytes, long incomingBytes, int port) {
  /** Up to this size a tensor stays in the message if there is no memory to share. */
  public static final int MOST_INLINE = 1 << 20;

  /** Stands for no port, and no connections to those of others: all goes in messages. */
  public static final int NO_PORT = -1;

  /** Stands for a share of what is free. */
  public static final long AUTOMATIC = -1;

  private static final int MOST_PORT = 0xffff;
  private static final int DEFAULT_INLINE = 32 << 10;

  /** Checks the limits. */
  public PlaneConfig {
    if (sharedBytes < AUTOMATIC) {
      throw bad("sharedBytes", sharedBytes, "-1 (automatic), 0 (none) or more");
    }
    if (inlineBytes < 0 || inlineBytes > MOST_INLINE) {
      throw bad("inlineBytes", inlineBytes, "between 0 and " + MOST_INLINE);
    }
    if (incomingBytes < 1) {
      throw bad("incomingBytes", incomingBytes, "at least 1");
    }
    if (port < NO_PORT || port > MOST_PORT) {
      throw bad("port", port, "-1 (none), 0 (any) or up to " + MOST_PORT);
    }
  }

  /** Returns the defaults, or what the system properties say in their place. */
  public static PlaneConfig defaults() {
    return new PlaneConfig(
        Path.of(System.getProperty("hazelgrad.plane.directory", "/dev/shm")),
        property("shared-bytes", AUTOMATIC),
        intProperty("inline-bytes", DEFAULT_INLINE),
        property("incoming-bytes", Runtime.getRuntime().maxMemory() / 2),
        intProperty("port", 0));
  }

  /** Returns the same with another directory. */
  public PlaneConfig withDirectory(Path other) {
    return new PlaneConfig(other, sharedBytes, inlineBytes, incomingBytes, port);
  }

  /** Returns the same with another limit for shared memory. */
  public PlaneConfig withSharedBytes(long bytes) {
    return new PlaneConfig(directory, bytes, inlineBytes, incomingBytes, port);
  }

  /** Returns the same with another limit for tensors in messages. */
  public PlaneConfig withInlineBytes(int bytes) {
    return new PlaneConfig(directory, sharedBytes, bytes, incomingBytes, port);
  }

  /** Returns the same with another limit for what is arriving. */
  public PlaneConfig withIncomingBytes(long bytes) {
    return new PlaneConfig(directory, sharedBytes, inlineBytes, bytes, port);
  }

  /** Returns the same with another port for large tensors. */
  public PlaneConfig withPort(int other) {
    return new PlaneConfig(directory, sharedBytes, inlineBytes, incomingBytes, other);
  }

  private static int intProperty(String name, int otherwise) {
    long value = property(name, otherwise);
    if (value != (int) value) {
      throw bad("the system property hazelgrad.plane." + name, value, "a number of 32 bits");
    }
    return (int) value;
  }

  private static long property(String name, long otherwise) {
    String value = System.getProperty("hazelgrad.plane." + name);
    if (value == null) {
      return otherwise;
    }
    try {
      return Long.parseLong(value);
    } catch (NumberFormatException e) {
      String text = "the system property hazelgrad.plane.%s must be a number: \"%s\"";
      throw new GridException(Status.BAD_CONFIG, text.formatted(name, value), e);
    }
  }

  private static GridException bad(String option, long value, String form) {
    return new GridException(Status.BAD_CONFIG, option + " must be " + form + ": " + value);
  }
}
