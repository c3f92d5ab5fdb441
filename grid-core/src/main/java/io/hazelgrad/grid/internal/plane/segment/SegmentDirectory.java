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
import java.security.MessageDigest;
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
 *   <li>{@code -lock} is locked as long as the owner lives; the operating system removes the lock
 *       when the process ends, however it ends. The files of a dead owner are found by trying its
 *       lock. Process ids would not do: they differ between containers.
 *   <li>{@code -probe} holds a secret. A worker that can tell it shares memory with the owner.
 *   <li>{@code -0}, {@code -1} and so on are segments.
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

  /** The owners in this JVM. Opening and closing a lock file here again would release its lock. */
  private static final Set<String> LOCAL_OWNERS = ConcurrentHashMap.newKeySet();

  private final Path directory;

  /** The name with which all names of files begin. */
  public final String owner;

  final long token;
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

  /** Creates the files of a worker; throws if the directory does not allow files or locks. */
  public static SegmentDirectory open(Path directory, long workerId) throws IOException {
    if (!Files.isDirectory(directory)) {
      throw new IOException(directory + " is not a directory");
    }
    SecureRandom random = new SecureRandom();
    byte[] secret = new byte[SECRET_BYTES];
    random.nextBytes(secret);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      long token = random.nextLong();
      String owner =
          "hazelgrad-%d-%d-%016x".formatted(workerId, ProcessHandle.current().pid(), token);
      LOCAL_OWNERS.add(owner);
      FileChannel lock = null;
      try {
        lock = create(directory.resolve(owner + LOCK));
        // A cleanup by another process may have taken the lock first and removed the file.
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
    throw new IOException("no file could be locked in " + directory);
  }

  /** Creates a file that only the user of this process can read and write, and opens it. */
  static FileChannel create(Path file) throws IOException {
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
      LOCAL_OWNERS.remove(owner);
    }
  }

  Path segment(int number) {
    return segment(owner, number);
  }

  /** Returns a segment of another owner, whose name {@link #tokenOf} has checked. */
  public Path segment(String other, int number) {
    return directory.resolve(other + "-" + number);
  }

  /** Returns whether these bytes are the secret in the {@code -probe} file of this owner. */
  public boolean isOurSecret(byte[] bytes) {
    return MessageDigest.isEqual(bytes, secret);
  }

  /** Returns the secret of another owner; empty if its files cannot be read and written here. */
  public byte[] secretOf(String other) {
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

  /** Returns the token in an owner's name; null if it is none, such as a malicious path. */
  public static @Nullable Long tokenOf(String owner) {
    Matcher matcher = NAME.matcher(owner);
    return matcher.matches() && matcher.group(3) == null
        ? Long.valueOf(Long.parseUnsignedLong(matcher.group(2), 16))
        : null;
  }

  public void removeDeadOwners() {
    Set<String> owners = new HashSet<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "hazelgrad-*")) {
      for (Path file : files) {
        Matcher matcher = NAME.matcher(file.getFileName().toString());
        if (matcher.matches() && matcher.group(3) != null) {
          owners.add(matcher.group(1));
        }
      }
    } catch (IOException | RuntimeException e) {
      LOG.debug("{} cannot be listed", directory, e);
      return;
    }
    owners.removeAll(LOCAL_OWNERS);
    owners.forEach(this::removeIfDead);
  }

  private void removeIfDead(String other) {
    Path file = directory.resolve(other + LOCK);
    if (!Files.exists(file)) { // The lock is made first and removed last.
      remove(directory, other);
      return;
    }
    try (FileChannel channel = FileChannel.open(file, READ, WRITE, LinkOption.NOFOLLOW_LINKS)) {
      FileLock taken = LOCAL_OWNERS.contains(other) ? null : channel.tryLock();
      if (taken != null) {
        remove(directory, other);
        LOG.info("removed the shared memory that {} left behind", other);
      }
    } catch (IOException | OverlappingFileLockException e) { // Of another user, or being removed.
      LOG.debug("the files of {} cannot be removed", other, e);
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

  public long freeBytes() throws IOException {
    return Files.getFileStore(directory).getUsableSpace();
  }

  @Override
  public void close() {
    remove(directory, owner);
    close(lock, owner);
  }
}
