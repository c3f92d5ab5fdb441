package io.hazelgrad.grid.internal.plane.segment;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of one worker in the directory of shared memory. All their names begin with the owner's
 * name, {@code hazelgrad-WORKER_ID-PID-TOKEN}:
 *
 * <ul>
 *   <li>{@code -lock}: locked as long as the owner lives; the system undoes that when the process
 *       ends, however it ends. So the files of the dead are found by trying the lock, which works
 *       where process ids say nothing, as between containers.
 *   <li>{@code -probe}: a secret; who can tell it shares memory with the owner.
 *   <li>{@code -0}, {@code -1} and so on: segments.
 * </ul>
 */
public final class SegmentDirectory implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentDirectory.class);
  private static final String LOCK = "-lock";
  private static final String PROBE = "-probe";
  private static final int SECRET_BYTES = 16;
  private static final int ATTEMPTS = 5;
  private static final Pattern NAME =
      Pattern.compile("(hazelgrad-\\d{1,19}-\\d{1,10}-([0-9a-f]{16}))(-lock|-probe|-\\d{1,10})?");

  /**
   * Owners of this JVM. Their lock files must not be opened again here: closing any descriptor of a
   * file undoes all locks that the process has on it.
   */
  private static final Set<String> OWN = ConcurrentHashMap.newKeySet();

  private final Path directory;
  private final String owner;
  private final long token;
  private final FileChannel lock;
  private final byte[] secret;

  private SegmentDirectory(
      Path directory, String owner, long token, FileChannel lock, byte[] secret) {
    this.directory = directory;
    this.owner = owner;
    this.token = token;
    this.lock = lock;
    this.secret = secret;
  }

  /**
   * Makes a worker's part of the directory.
   *
   * @throws IOException if files cannot be made or locked there
   */
  public static SegmentDirectory open(Path directory, long workerId) throws IOException {
    if (!Files.isDirectory(directory)) {
      throw new IOException(directory + " is no directory");
    }
    SecureRandom random = new SecureRandom();
    byte[] secret = new byte[SECRET_BYTES];
    random.nextBytes(secret);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      long token = random.nextLong();
      String owner =
          "hazelgrad-%d-%d-%016x".formatted(workerId, ProcessHandle.current().pid(), token);
      OWN.add(owner);
      FileChannel lock = null;
      try {
        lock = create(directory.resolve(owner + LOCK));
        // Who cleans up may have been faster with the lock, and have removed the file.
        if (lock.tryLock() != null && Files.exists(directory.resolve(owner + LOCK))) {
          try (FileChannel probe = create(directory.resolve(owner + PROBE))) {
            probe.write(ByteBuffer.wrap(secret));
          }
          return new SegmentDirectory(directory, owner, token, lock, secret);
        }
      } catch (IOException | RuntimeException e) {
        remove(directory, owner);
        close(lock, owner);
        throw e instanceof IOException failure ? failure : new IOException(e);
      }
      close(lock, owner);
    }
    throw new IOException("no lock could be had in " + directory);
  }

  private static FileChannel create(Path file) throws IOException {
    return FileChannel.open(
        file,
        Set.of(CREATE_NEW, READ, WRITE),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
  }

  private static void close(@Nullable FileChannel lock, String owner) {
    try {
      if (lock != null) {
        lock.close();
      }
    } catch (IOException e) {
      LOG.debug("the lock of {} could not be closed", owner, e);
    } finally {
      OWN.remove(owner);
    }
  }

  /** Returns the name under which others find our files. */
  String owner() {
    return owner;
  }

  long token() {
    return token;
  }

  Path segment(int number) {
    return directory.resolve(owner + "-" + number);
  }

  /** Returns a segment of another owner; its name has been checked by {@link #tokenOf}. */
  Path segment(String other, int number) {
    return directory.resolve(other + "-" + number);
  }

  /** Returns whether these are the bytes that only those can know who see our files. */
  boolean isOurSecret(byte[] bytes) {
    return java.security.MessageDigest.isEqual(bytes, secret);
  }

  /**
   * Returns the secret of another owner, if its files can be read and written here; else nothing.
   */
  byte[] secretOf(String other) {
    if (tokenOf(other) == null) {
      return new byte[0];
    }
    Path file = directory.resolve(other + PROBE);
    try (FileChannel probe = FileChannel.open(file, READ, WRITE, LinkOption.NOFOLLOW_LINKS)) {
      ByteBuffer bytes = ByteBuffer.allocate(SECRET_BYTES);
      while (bytes.hasRemaining() && probe.read(bytes) >= 0) {}
      return bytes.hasRemaining() ? new byte[0] : bytes.array();
    } catch (IOException | RuntimeException e) {
      LOG.debug("no shared memory with {}", other, e);
      return new byte[0];
    }
  }

  /** Returns the token in an owner's name; null if it is no such name, but perhaps a path. */
  static @Nullable Long tokenOf(String owner) {
    Matcher matcher = NAME.matcher(owner);
    return matcher.matches() && matcher.group(3) == null
        ? Long.valueOf(Long.parseUnsignedLong(matcher.group(2), 16))
        : null;
  }

  /** Removes the files of owners that have died. */
  public void removeLeftovers() {
    Set<String> owners = new HashSet<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "hazelgrad-*")) {
      for (Path file : files) {
        Matcher matcher = NAME.matcher(file.getFileName().toString());
        if (matcher.matches() && matcher.group(3) != null) {
          owners.add(matcher.group(1));
        }
      }
    } catch (IOException | RuntimeException e) {
      LOG.debug("{} cannot be looked through", directory, e);
      return;
    }
    owners.removeAll(OWN);
    owners.forEach(this::removeIfDead);
  }

  private void removeIfDead(String other) {
    Path file = directory.resolve(other + LOCK);
    if (!Files.exists(file)) { // The lock is made first and removed last.
      remove(directory, other);
      return;
    }
    try (FileChannel channel = FileChannel.open(file, READ, WRITE, LinkOption.NOFOLLOW_LINKS)) {
      FileLock taken = OWN.contains(other) ? null : channel.tryLock();
      if (taken != null) {
        remove(directory, other);
        LOG.info("removed the shared memory that {} left behind", other);
      }
    } catch (IOException | OverlappingFileLockException e) {
      LOG.debug("not ours to remove: {}", other, e); // Another user's, or being removed.
    }
  }

  /** Removes all files of an owner, the lock last. */
  private static void remove(Path directory, String owner) {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, owner + "-*")) {
      for (Path file : files) {
        if (!file.getFileName().toString().endsWith(LOCK)) {
          Files.deleteIfExists(file);
        }
      }
      Files.deleteIfExists(directory.resolve(owner + LOCK));
    } catch (IOException | RuntimeException e) {
      LOG.debug("could not remove all files of {}", owner, e);
    }
  }

  /** Returns the bytes that are free where the files lie. */
  public long freeBytes() throws IOException {
    return Files.getFileStore(directory).getUsableSpace();
  }

  @Override
  public void close() {
    remove(directory, owner);
    close(lock, owner);
  }
}
