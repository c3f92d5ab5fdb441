package io.hazelgrad.grid.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.metrics.Latency;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The buckets of durations. */
class HistogramTest {
  @Test
  void durationIsInItsBucket() {
    SplittableRandom random = new SplittableRandom(3);
    for (int round = 0; round < 100_000; round++) {
      long nanos = random.nextLong(1L << 10, 1L << 45);
      int bucket = Histogram.bucket(nanos);
      assertThat(nanos).isLessThan(Histogram.upper(bucket));
      if (bucket > 0) {
        assertThat(nanos).isGreaterThanOrEqualTo(Histogram.upper(bucket - 1));
      }
      assertThat((double) Histogram.upper(bucket) / nanos).isLessThanOrEqualTo(1.125);
    }
  }

  @Test
  void endBucketsTakeShorterAndLongerDurations() {
    assertThat(Histogram.bucket(-1)).isZero();
    assertThat(Histogram.bucket(0)).isZero();
    assertThat(Histogram.bucket(1023)).isZero();
    assertThat(Histogram.bucket(Long.MAX_VALUE)).isEqualTo(Histogram.bucket(1L << 50));
  }

  @Test
  void quantilesAreUpperBounds() {
    Histogram histogram = new Histogram();
    assertThat(histogram.snapshot()).isEqualTo(new Latency(0, 0, 0, 0, 0, 0, 0));
    for (int i = 1; i <= 1000; i++) {
      histogram.add(i * 10_000L);
    }
    Latency latency = histogram.snapshot();
    assertThat(latency.count()).isEqualTo(1000);
    assertThat(latency.total()).isEqualTo(5_005_000_000L);
    assertThat(latency.p50()).isBetween(5_000_000L, 5_625_000L);
    assertThat(latency.p90()).isBetween(9_000_000L, 10_125_000L);
    assertThat(latency.p99()).isBetween(9_900_000L, 11_140_000L);
    assertThat(latency.max()).isBetween(10_000_000L, 11_250_000L);

    Histogram both = new Histogram();
    both.addAll(histogram);
    both.addAll(histogram);
    assertThat(both.snapshot().count()).isEqualTo(2000);
    assertThat(both.snapshot().total()).isEqualTo(10_010_000_000L);
    assertThat(both.snapshot().p50()).isEqualTo(latency.p50());
  }
}
