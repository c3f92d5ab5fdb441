package io.hazelgrad.cli.demo;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.stream.IntStream;

/**
 * The latencies of calls of a deployed model by several threads, and its correct answers.
 *
 * @param sorted the latencies in nanoseconds, the smallest first
 * @param seconds the time of all calls
 * @param accuracy the share of pictures that were recognised
 */
@SuppressWarnings("ArrayRecordComponent") // Not compared.
public record ServedCalls(long[] sorted, double seconds, double accuracy) {
  /**
   * Calls a model from a client. Each thread takes the workers in turn.
   *
   * @param calls how many calls are measured, after a tenth as many that are not
   */
  public static ServedCalls run(
      Rpc rpc, String graph, ServedDigits digits, List<String> workers, int threads, int calls)
      throws InterruptedException, ExecutionException {
    Function<Tensor> model = Function.graph(graph);
    long[] latencies = new long[calls];
    AtomicInteger next = new AtomicInteger(-calls / 10);
    AtomicInteger right = new AtomicInteger();
    LongAccumulator first = new LongAccumulator(Math::min, Long.MAX_VALUE);
    Runnable caller =
        () -> {
          for (int i = next.getAndIncrement(); i < calls; i = next.getAndIncrement()) {
            int picture = Math.floorMod(i, digits.size());
            String worker = workers.get(Math.floorMod(i, workers.size()));
            Tensor pixels = digits.picture(picture);
            long before = System.nanoTime();
            Tensor scores = rpc.sync(worker, model, pixels);
            long after = System.nanoTime();
            if (i >= 0) {
              first.accumulate(before);
              latencies[i] = after - before;
              right.addAndGet(digits.recognises(picture, scores) ? 1 : 0);
            }
          }
        };
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<?>> started =
          IntStream.range(0, threads).<Future<?>>mapToObj(i -> pool.submit(caller)).toList();
      for (Future<?> each : started) {
        each.get();
      }
      double seconds = (System.nanoTime() - first.get()) / 1e9;
      Arrays.sort(latencies);
      return new ServedCalls(latencies, seconds, (double) right.get() / calls);
    } finally {
      pool.shutdownNow();
    }
  }

  /** Returns the latency in milliseconds that this share of the calls does not exceed. */
  public double millis(double share) {
    int index = (int) Math.ceil(share * sorted.length) - 1;
    return sorted[Math.max(0, index)] / 1e6;
  }

  /** Returns the calls per second of all threads together. */
  public double callsPerSecond() {
    return sorted.length / seconds;
  }
}
