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
 * Runs something until the compilers of all JVMs that take part have come to rest. They share the
 * cores with what is measured: beside them a step of 2 ms takes 3.
 */
final class WarmUp {
  private static final Duration LOOK = Duration.ofSeconds(2);
  private static final Duration MOST = Duration.ofSeconds(45);

  /** Of one core, for all compilers of all JVMs together. */
  private static final double REST = 0.1;

  private static final Function<Long> COMPILED = Function.of(BenchFunctions::compiledMillis);

  private final Grid caller;
  private final List<String> others;
  private long nanos;

  WarmUp(Grid caller, String... others) {
    this.caller = caller;
    this.others = List.of(others);
  }

  /** Runs it again and again, for 2 seconds at least and for 45 at most. */
  void run(Runnable run) {
    long start = System.nanoTime();
    double share;
    do {
      long compiled = compiledMillis();
      long begin = System.nanoTime();
      do {
        run.run();
      } while (System.nanoTime() - begin < LOOK.toNanos());
      long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
      share = (double) (compiledMillis() - compiled) / millis;
    } while (share > REST && System.nanoTime() - start < MOST.toNanos());
    nanos += System.nanoTime() - start;
  }

  /** Returns how long a group of figures has warmed up, until now. */
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

  /** Returns how long the compilers of this JVM have worked. */
  static long ownCompiledMillis() {
    return Objects.requireNonNull(ManagementFactory.getCompilationMXBean())
        .getTotalCompilationTime();
  }
}
