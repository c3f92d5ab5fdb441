package io.hazelgrad.autograd.parallel;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;

/**
 * Options of {@link DataParallel}. All workers give the same.
 *
 * @param bucketBytes the size from which on a bucket of gradients leaves; 1 MiB by default. Small
 *     buckets begin early beside the backward pass, large ones have fewer rounds
 * @param shards the number of shards of a global batch in deterministic mode, at least the number
 *     of workers; 0, the default, for no shards
 */
public record DataParallelOptions(int bucketBytes, int shards) {
  private static final int DEFAULT_BUCKET = 1 << 20;

  /** Checks the numbers: BAD_ARGUMENT. */
  public DataParallelOptions {
    if (bucketBytes < 1 || shards < 0) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "bucketBytes=%s must be at least 1, shards=%s at least 0".formatted(bucketBytes, shards));
    }
  }

  /** Returns the defaults. */
  public static DataParallelOptions defaults() {
    return new DataParallelOptions(DEFAULT_BUCKET, 0);
  }

  /** Returns the same with another size of buckets. */
  public DataParallelOptions withBucketBytes(int newBucketBytes) {
    return new DataParallelOptions(newBucketBytes, shards);
  }

  /** Returns the same with another number of shards. */
  public DataParallelOptions withShards(int newShards) {
    return new DataParallelOptions(bucketBytes, newShards);
  }
}
