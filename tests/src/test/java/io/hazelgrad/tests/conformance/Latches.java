package io.hazelgrad.tests.conformance;

import io.hazelgrad.grid.RemoteFunctions;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Functions that run until the test releases them, instead of the peer's sleeps. */
@RemoteFunctions
final class Latches {
  private static final Map<String, CountDownLatch> LATCHES = new ConcurrentHashMap<>();

  private Latches() {}

  private static CountDownLatch latch(String key) {
    return LATCHES.computeIfAbsent(key, k -> new CountDownLatch(1));
  }

  /** Waits until the key is released here, then returns a value. */
  static int await(String key, int value) throws InterruptedException {
    if (!latch(key).await(30, TimeUnit.SECONDS)) {
      throw new IllegalStateException("nobody released " + key);
    }
    return value;
  }

  /** Releases all functions that wait here for the key, now or later. */
  static int release(String key) {
    latch(key).countDown();
    return 0;
  }
}
