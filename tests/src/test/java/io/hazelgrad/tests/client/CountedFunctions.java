package io.hazelgrad.tests.client;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.Worker;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Functions for clients that count their runs and end when the test releases them. */
@RemoteFunctions
final class CountedFunctions {
  private static final Map<String, AtomicInteger> RUNS = new ConcurrentHashMap<>();
  private static final Map<String, CountDownLatch> RELEASED = new ConcurrentHashMap<>();
  private static final Map<String, CompletableFuture<Void>> SIGNALS = new ConcurrentHashMap<>();

  private CountedFunctions() {}

  private static AtomicInteger counter(String entry) {
    return RUNS.computeIfAbsent(entry, unused -> new AtomicInteger());
  }

  private static CountDownLatch latch(String entry) {
    return RELEASED.computeIfAbsent(entry, unused -> new CountDownLatch(1));
  }

  private static CompletableFuture<Void> signal(String group) {
    return SIGNALS.computeIfAbsent(group, unused -> new CompletableFuture<>());
  }

  static int add(int a, int b) {
    return a + b;
  }

  static String worker() {
    return Grid.current().worker().name();
  }

  static int runs(String entry) {
    return counter(entry).get();
  }

  static String count(String entry) {
    return entry + " " + counter(entry).incrementAndGet();
  }

  static void release(String entry) {
    latch(entry).countDown();
  }

  /** Counts, and returns the count when released. */
  static int hold(String entry) throws InterruptedException {
    int run = counter(entry).incrementAndGet();
    if (!latch(entry).await(60, TimeUnit.SECONDS)) {
      throw new IllegalStateException(entry + " was never released");
    }
    return run;
  }

  /** Counts like {@link #hold}, for one of a group that is released together; holds no thread. */
  static CompletableFuture<Integer> holdOne(String group, int number) {
    int run = counter(group + " " + number).incrementAndGet();
    counter(group).incrementAndGet();
    return signal(group).thenApply(nothing -> run);
  }

  static void releaseAll(String group) {
    signal(group).complete(null);
  }

  /** Counts, and returns this number of bytes. */
  static byte[] bytes(String entry, int size) {
    counter(entry).incrementAndGet();
    return new byte[size];
  }

  static Tensor twice(Tensor tensor) {
    float[] elements = tensor.toFloats();
    for (int i = 0; i < elements.length; i++) {
      elements[i] *= 2;
    }
    return Tensor.of(elements, tensor.shape());
  }

  /** Calls back the worker with a name. */
  static String workerNamed(String name) {
    return Grid.current().rpc().sync(name, CountedFunctions::worker);
  }

  /** Calls back a worker. */
  static String workerAt(Worker worker) {
    return Grid.current().rpc().sync(worker, Function.of(CountedFunctions::worker));
  }

  static CompletableFuture<String> later(String entry) {
    counter(entry).incrementAndGet();
    return Grid.current()
        .rpc()
        .async(worker(), CountedFunctions::hold, entry + " inner")
        .thenApply(run -> entry + " " + run);
  }

  static String fails() {
    throw new IllegalArgumentException("no entry today");
  }

  /** Returns how often this worker was told that a client is gone. */
  static int timesGone(long client) {
    return LostClientRecorder.timesHeard(Grid.current(), client);
  }

  /** Returns whether this worker's member has a connection of a client. */
  static boolean hasConnection(String incarnation) {
    return Grid.current().hazelcast().getClientService().getConnectedClients().stream()
        .anyMatch(client -> client.getUuid().toString().equals(incarnation));
  }
}
