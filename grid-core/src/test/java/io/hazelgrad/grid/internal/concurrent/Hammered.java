package io.hazelgrad.grid.internal.concurrent;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** What {@link HammerTest} calls. Each call has a key of its own, so that a second run shows. */
@RemoteFunctions
final class Hammered {
  static final Map<String, AtomicInteger> RUNS = new ConcurrentHashMap<>();

  private Hammered() {}

  private static void ran(String key) {
    RUNS.computeIfAbsent(key, unused -> new AtomicInteger()).incrementAndGet();
  }

  static String echo(String key) {
    ran(key);
    return key;
  }

  /** Holds its thread for a moment, or until it is interrupted. */
  static String hold(String key, int millis) throws InterruptedException {
    ran(key);
    new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
    return key;
  }

  /** Holds no thread; is complete in a moment. */
  static CompletableFuture<String> later(String key, int millis) {
    ran(key);
    return new CompletableFuture<String>().completeOnTimeout(key, millis, TimeUnit.MILLISECONDS);
  }

  /** Never complete: the deadline ends it, or the cancelling. */
  static CompletableFuture<String> never(String key) {
    ran(key);
    return new CompletableFuture<>();
  }

  /** Waits for another worker, and that one for the next. */
  static String pass(String key, String to, String next) {
    ran(key);
    return to.isEmpty()
        ? key
        : Grid.current().rpc().sync(to, Hammered::pass, key + " " + to, next, "");
  }

  static String fail(String key) {
    ran(key);
    throw new IllegalStateException(key);
  }

  static Object unsendable(String key) {
    ran(key);
    return new Thread(key);
  }
}
