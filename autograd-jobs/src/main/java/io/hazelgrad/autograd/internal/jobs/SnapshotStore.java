package io.hazelgrad.autograd.internal.jobs;

import com.hazelcast.config.Config;
import com.hazelcast.map.IMap;
import com.hazelcast.nio.serialization.HazelcastSerializationException;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.OwnMap;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The last snapshot of each training job, in a map with one backup: in memory on two members.
 *
 * <p>A snapshot is written beside the last one, in pieces, and counts when its head is written. The
 * head has the snapshot's number. A job has two slots for pieces, and snapshots use them in turn.
 * So a writer that dies in the middle leaves the last snapshot as it was. One trainer of a job
 * writes at a time.
 *
 * <p>A write counts when its backup has it. If a backup is silent, for example beyond a cut,
 * Hazelcast answers without it after 5 s ({@code hazelcast.operation.backup.timeout.millis}) and
 * does not say so. An answer that took as long does not count, and the last snapshot stays.
 *
 * <p>A reader may be anywhere, and reads the head again after the pieces. If it is the same, no
 * writer has touched the slot meanwhile, since a slot is only changed after a later head.
 *
 * <p>Threads: safe.
 */
record SnapshotStore(GridContext grid) {
  private static final String MAP = "hazelgrad.training-snapshots";
  private static final int PIECE = 1 << 20;

  /** So many pieces are under way at once; each has the whole time of Hazelcast for its backup. */
  private static final int WINDOW = 8;

  private static final String HEAD = "/head";
  private static final String POSITION = "/position";

  static void prepare(Config config) {
    OwnMap.in(config, MAP);
  }

  private IMap<String, Object> map() {
    return grid.hazelcast().getMap(MAP);
  }

  private static String key(String job, int number, int piece) {
    return job + "/" + number % 2 + "/" + piece;
  }

  /** Returns the number of the last snapshot of a job and that of its pieces, or null. */
  private int @Nullable [] head(String job) {
    return (int[]) map().get(job + HEAD);
  }

  /**
   * Writes a snapshot in the place of the last one.
   *
   * @param position where a stream's source goes on; null for a data set
   * @return false if a backup did not confirm it, and the last one may have to serve again
   */
  boolean write(String job, TrainingState state, @Nullable StreamPosition position) {
    IMap<String, Object> map = map();
    int[] head = head(job);
    // Its predecessor is overwritten now, so this head must not be lost with one member.
    if (head != null && !isConfirmed(() -> map.set(job + HEAD, head))) {
      return false;
    }
    int number = head == null ? 0 : head[0] + 1;
    byte[] bytes = grid.toBytes(state);
    int pieces = (bytes.length + PIECE - 1) / PIECE;
    for (int from = 0; from < pieces; from += WINDOW) {
      int first = from;
      int end = Math.min(from + WINDOW, pieces);
      if (!isConfirmed(() -> writePieces(job, number, bytes, first, end))) {
        return false;
      }
    }
    if (position != null) {
      String key = key(job, number, -1) + POSITION;
      if (!isConfirmed(() -> map.set(key, position))) {
        return false;
      }
      if (head == null) {
        requireReadable(map, key);
      }
    }
    if (!isConfirmed(() -> map.set(job + HEAD, new int[] {number, pieces}))) {
      return false;
    }
    if (head != null) {
      delete(map, job, head);
    }
    return true;
  }

  private void writePieces(String job, int number, byte[] bytes, int from, int end) {
    CompletableFuture<?>[] writes = new CompletableFuture<?>[end - from];
    for (int i = from; i < end; i++) {
      int start = i * PIECE;
      byte[] piece = Arrays.copyOfRange(bytes, start, Math.min(start + PIECE, bytes.length));
      writes[i - from] = map().setAsync(key(job, number, i), piece).toCompletableFuture();
    }
    var unused = Rpc.await(CompletableFuture.allOf(writes));
  }

  /** Writes, and returns whether that took less time than Hazelcast waits for a silent backup. */
  private boolean isConfirmed(Runnable write) {
    long start = System.currentTimeMillis(); // Hazelcast's clock, too.
    write.run();
    return System.currentTimeMillis() - start < OwnMap.backupTimeoutMillis(grid);
  }

  /**
   * Reads a first position again, so that a source whose position cannot be read fails at once, not
   * after a loss.
   */
  private static void requireReadable(IMap<String, Object> map, String key) {
    try {
      Object unused = map.get(key);
    } catch (HazelcastSerializationException e) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "the position that the source has saved cannot be read again, so the training could not go"
              + " on after a loss (%s); save numbers, text or values with a serializer, or add the"
                  .formatted(e.getMessage())
              + " class to java-serialization-filter in the members' configuration",
          e);
    }
  }

  private static void delete(IMap<String, Object> map, String job, int[] head) {
    map.delete(key(job, head[0], -1) + POSITION);
    for (int i = 0; i < head[1]; i++) {
      map.delete(key(job, head[0], i));
    }
  }

  /** Returns the last state of a job, or null; fails if members took parts of it with them. */
  @Nullable TrainingState state(String job) {
    int[] head = head(job);
    while (head != null) {
      Set<String> keys = new LinkedHashSet<>();
      for (int i = 0; i < head[1]; i++) {
        keys.add(key(job, head[0], i));
      }
      Map<String, Object> found = map().getAll(keys);
      int[] after = head(job);
      if (Arrays.equals(head, after)) {
        return (TrainingState) grid.fromBytes(whole(job, keys, found));
      }
      head = after;
    }
    return null;
  }

  private static byte[] whole(String job, Set<String> keys, Map<String, Object> found) {
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    for (String key : keys) {
      byte[] piece = (byte[]) found.get(key);
      if (piece == null) {
        throw new GridException(
            Status.BAD_VALUE,
            "the snapshot of training job %s lacks %s of its %d pieces: two members were lost at"
                    .formatted(job, key, keys.size())
                + " once; start the job from a checkpoint");
      }
      whole.writeBytes(piece);
    }
    return whole.toByteArray();
  }

  /** Returns where the source of a job that is not running goes on; null without a snapshot. */
  @Nullable StreamPosition position(String job) {
    int[] head = head(job);
    return head == null ? null : (StreamPosition) map().get(key(job, head[0], -1) + POSITION);
  }

  /** Removes the snapshot of a job. */
  void delete(String job) {
    int[] head = head(job);
    if (head != null) {
      map().delete(job + HEAD);
      for (int number = 0; number < 2; number++) {
        delete(map(), job, new int[] {number, head[1]});
      }
    }
  }
}
