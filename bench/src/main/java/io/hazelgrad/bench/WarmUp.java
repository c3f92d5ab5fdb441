package io.hazelgrad.bench;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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

  WarmUp(Grid caller, String... others) {
    this.caller = caller;
    this.others = List.of(others);
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

  /** Returns the warm-up time of a group so far. */
  Figure figure(String group) {
    return Figure.of("warm_up", Map.of("group", group), nanos / 1e9, "s", 1);
  }

  private long compiledMillis() {
    long sum = ownCompiledMillis();
    for (String other : others) {
      sum += caller.rpc().sync(other, COMPILED);
    }
    return sum;
  }

  /** Returns the time in ms that the compilers of this JVM have worked. */
  static long ownCompiledMillis() {
    return Objects.requireNonNull(ManagementFactory.getCompilationMXBean())
        .getTotalCompilationTime();
  }
}
