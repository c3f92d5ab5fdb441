package io.hazelgrad.grid.internal.metrics;

import io.hazelgrad.grid.metrics.Latency;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Sums durations and counts them in buckets, eight for each doubling, from about 1 microsecond to
 * 19 hours. A quantile is at most an eighth too high. Durations beyond either end count in the last
 * bucket there. It takes a fixed 2 KiB. Threads: safe, without locks.
 */
final class Histogram {
  private static final int BUCKET_BITS = 3;
  private static final int BUCKETS_PER_DOUBLING = 1 << BUCKET_BITS;
  private static final int LOWEST_BIT = 10;
  private static final int HIGHEST_BIT = 46;
  private static final int BUCKETS = (HIGHEST_BIT - LOWEST_BIT) * BUCKETS_PER_DOUBLING;

  private final AtomicLongArray counts = new AtomicLongArray(BUCKETS);
  private final LongAdder total = new LongAdder();

  void add(long nanos) {
    total.add(nanos);
    var unused = counts.getAndIncrement(bucket(nanos));
  }

  static int bucket(long nanos) {
    if (nanos < 1L << LOWEST_BIT) {
      return 0;
    }
    int bit = Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos);
    int offset = (int) (nanos >>> (bit - BUCKET_BITS)) & (BUCKETS_PER_DOUBLING - 1);
    return Math.min(BUCKETS - 1, (bit - LOWEST_BIT) * BUCKETS_PER_DOUBLING + offset);
  }

  /** Returns the smallest duration above this bucket. */
  static long upper(int bucket) {
    int next = bucket + 1;
    return (long) (BUCKETS_PER_DOUBLING + next % BUCKETS_PER_DOUBLING)
        << (LOWEST_BIT + next / BUCKETS_PER_DOUBLING - BUCKET_BITS);
  }

  void addAll(Histogram other) {
    total.add(other.total.sum());
    for (int i = 0; i < BUCKETS; i++) {
      var unused = counts.getAndAdd(i, other.counts.get(i));
    }
  }

  Latency snapshot() {
    long[] copy = IntStream.range(0, BUCKETS).mapToLong(counts::get).toArray();
    long count = LongStream.of(copy).sum();
    return new Latency(
        count,
        total.sum(),
        quantile(copy, count, 0.5),
        quantile(copy, count, 0.9),
        quantile(copy, count, 0.99),
        quantile(copy, count, 0.999),
        quantile(copy, count, 1));
  }

  private static long quantile(long[] counts, long total, double quantile) {
    long rank = Math.max(1, (long) Math.ceil(total * quantile));
    long seen = 0;
    for (int i = 0; i < counts.length && total > 0; i++) {
      seen += counts[i];
      if (seen >= rank) {
        return upper(i);
      }
    }
    return 0;
  }
}
