package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** What called functions and tests tell each other: all members of a test are in one JVM. */
public final class Signals {
  private static final Map<String, Signals> BY_NAME = new ConcurrentHashMap<>();

  public final AtomicInteger started = new AtomicInteger();
  final CompletableFuture<String> answer = new CompletableFuture<>();
  private final CountDownLatch released = new CountDownLatch(1);

  private Signals() {}

  public static Signals named(String name) {
    return BY_NAME.computeIfAbsent(name, unused -> new Signals());
  }

  /** Forgets all signals, so that the next test may use the same names. */
  static void forget() {
    BY_NAME.clear();
  }

  public void release() {
    released.countDown();
  }

  void awaitRelease() throws InterruptedException {
    assertThat(released.await(30, TimeUnit.SECONDS)).as("released").isTrue();
  }

  public void awaitStarted() {
    Eventually.until("the function started", () -> started.get() > 0);
  }
}
