package io.hazelgrad.bench;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Repeats a run until the compilers of all JVMs that take part are idle. Compilers share the cores
 * with the measured code: a training step takes 3 ms instead of 2 ms while they work.
 */
final class WarmUp {
  private static final Duration ROUND = Duration.ofSeconds(2);
  private static final Duration MOST = Duration.ofSeconds(45);

  /** The share of one core below which the compilers of all JVMs together count as idle. */
  private static final double REST = 0.1;

  private static final Function<Long> COMPILED = Function.of(BenchFunctions::compiledMillis);

  private final Grid caller;
  private final List<String> others;
  private long nanos;

  WarmUp(Grid caller, List<String> others) {
    this.caller = caller;
    this.others = others;
  }

  /** Repeats a run for at least 2 s and at most about 45 s. */
  void run(Runnable run) {
    long start = System.nanoTime();
    double share;
    do {
      long compiled = compiledMillis();
      long begin = System.nanoTime();
      do {
        run.run();
      } while (System.nanoTime() - begin < ROUND.toNanos());
      long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
      share = (double) (compiledMillis() - compiled) / millis;
    } while (share > REST && System.nanoTime() - start < MOST.toNanos());
    nanos += System.nanoTime() - start;
  }

  /** Returns the seconds that all runs together took so far. */
  double seconds() {
    return nanos / 1e9;
  }

  private long compiledMillis() {
    long sum = BenchFunctions.compiledMillis();
    for (String other : others) {
      sum += caller.rpc().sync(other, COMPILED);
    }
    return sum;
  }
}
