package io.hazelgrad.bench;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Times what is done often. */
final class Sampling {
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

  /** Makes {@code n} calls, never more than {@code outstanding} unanswered; returns nanoseconds. */
  static long inFlight(int n, int outstanding, Supplier<? extends CompletableFuture<?>> call) {
    Deque<CompletableFuture<?>> flying = new ArrayDeque<>();
    long start = System.nanoTime();
    for (int i = 0; i < n; i++) {
      if (flying.size() >= outstanding) {
        flying.remove().join();
      }
      flying.add(call.get());
    }
    flying.forEach(CompletableFuture::join);
    return System.nanoTime() - start;
  }
}
