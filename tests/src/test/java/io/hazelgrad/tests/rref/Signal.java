package io.hazelgrad.tests.rref;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Named point in a called function that waits for the test; all workers are in this JVM. */
final class Signal {
  private static final Map<String, Signal> BY_NAME = new ConcurrentHashMap<>();

  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);

  private Signal() {}

  static Signal named(String name) {
    return BY_NAME.computeIfAbsent(name, unused -> new Signal());
  }

  /** Waits until the test releases the name. */
  static void pass(String name) {
    Signal signal = named(name);
    signal.reached.countDown();
    await(signal.released, name + " is released");
  }

  /** Waits like {@link #pass} and ignores interrupts. */
  static void passStubbornly(String name) {
    CompletableFuture.runAsync(() -> pass(name)).join();
  }

  void awaitReached() {
    await(reached, "the function was started");
  }

  void release() {
    released.countDown();
  }

  static void releaseAll() {
    BY_NAME.values().forEach(Signal::release);
  }

  /** Makes the names usable for the next test, when no function waits any more. */
  static void forgetAll() {
    BY_NAME.clear();
  }

  private static void await(CountDownLatch latch, String what) {
    try {
      assertThat(latch.await(20, TimeUnit.SECONDS)).as(what).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted while waiting until " + what, e);
    }
  }
}
