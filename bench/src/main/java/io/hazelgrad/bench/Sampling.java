package io.hazelgrad.bench;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Times repeated runs and calls. */
final class Sampling {
  private static final int LEAST = 5;
  private static final int MOST = 2000;

  private Sampling() {}

  /** Returns the nanoseconds of each of {@code n} runs, after a warm-up. */
  static long[] time(Runnable run, int warmUp, int n) {
    for (int i = 0; i < warmUp; i++) {
      run.run();
    }
    long[] nanos = new long[n];
    for (int i = 0; i < n; i++) {
      long start = System.nanoTime();
      run.run();
      nanos[i] = System.nanoTime() - start;
    }
    return nanos;
  }

  /** Returns the ns of each run that fits in a time: at least 5, at most 2,000 runs. */
  static long[] timeFor(Runnable run, Duration time) {
    long[] nanos = new long[MOST];
    int n = 0;
    long end = System.nanoTime() + time.toNanos();
    while (n < LEAST || (n < MOST && System.nanoTime() < end)) {
      long start = System.nanoTime();
      run.run();
      nanos[n++] = System.nanoTime() - start;
    }
    return Arrays.copyOf(nanos, n);
  }

  /** Returns the median, the upper one of an even number of samples. */
  static long median(long[] samples) {
    long[] sorted = samples.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  /** Returns the ns of each phase of {@code n} runs, by phase; a run fills its array in. */
  static long[][] phases(int phases, int n, Consumer<long[]> run) {
    long[][] nanos = new long[phases][n];
    long[] one = new long[phases];
    for (int i = 0; i < n; i++) {
      run.accept(one);
      for (int phase = 0; phase < phases; phase++) {
        nanos[phase][i] = one[phase];
      }
    }
    return nanos;
  }

  /** Makes {@code n} calls, at most {@code outstanding} at a time; returns the total ns. */
  static long inFlight(int n, int outstanding, Supplier<? extends CompletableFuture<?>> call) {
    Deque<CompletableFuture<?>> pending = new ArrayDeque<>();
    long start = System.nanoTime();
    for (int i = 0; i < n; i++) {
      if (pending.size() >= outstanding) {
        pending.remove().join();
      }
      pending.add(call.get());
    }
    pending.forEach(CompletableFuture::join);
    return System.nanoTime() - start;
  }
}
