package io.hazelgrad.bench;

import com.sun.management.OperatingSystemMXBean;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.HazelgradConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Measures a small call in a grid with a shared secret and in one without, by turns, so that both
 * have the same load. Each grid has two workers, all in this JVM, which call over TCP.
 */
final class SecretBench extends Bench {
  private static final OperatingSystemMXBean PROCESS =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private static final int ROUNDS = 40;
  private static final int CALLS = 1000;

  SecretBench(Setting setting) {
    super(setting);
  }

  @Override
  void run() {
    try {
      Path secret = Files.createTempFile("secret", null);
      try {
        Files.writeString(secret, UUID.randomUUID().toString());
        measure(secret);
      } finally {
        Files.delete(secret);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void measure(Path secret) {
    try (Pair plain = Pair.join(null);
        Pair proving = Pair.join(secret)) {
      warmUp.run(
          () -> {
            plain.call();
            proving.call();
          });
      Turns without = new Turns();
      Turns with = new Turns();
      for (int round = 0; round < ROUNDS; round++) {
        without.take(round, plain);
        with.take(round, proving);
      }
      latency("rpc_sync_without_secret", TCP, without.nanos);
      latency("rpc_sync_with_secret", TCP, with.nanos);
      report("processor_time_without_secret", TCP, without.processorMicros(), "us", ROUNDS * CALLS);
      report("processor_time_with_secret", TCP, with.processorMicros(), "us", ROUNDS * CALLS);
    }
  }

  /** The measured turns of one grid. */
  private static final class Turns {
    final long[] nanos = new long[ROUNDS * CALLS];

    /** The processor time of the whole JVM in all turns. */
    long processor;

    void take(int round, Pair pair) {
      long before = PROCESS.getProcessCpuTime();
      long[] samples = Sampling.time(pair::call, 0, CALLS);
      processor += PROCESS.getProcessCpuTime() - before;
      System.arraycopy(samples, 0, nanos, round * CALLS, CALLS);
    }

    /** Returns the processor time of one call, caller and callee together. */
    double processorMicros() {
      return processor / 1e3 / nanos.length;
    }
  }

  /** Two workers of a grid of their own. */
  private record Pair(Grid caller, Grid callee) implements AutoCloseable {
    private static final Function<?> NOOP = Function.action(BenchFunctions::noop);

    static Pair join(@Nullable Path secret) {
      String cluster = "secret-" + UUID.randomUUID();
      List<Integer> ports = List.of(BenchStart.freePort(), BenchStart.freePort());
      Grid caller = join(cluster, 0, ports, secret);
      try {
        return new Pair(caller, join(cluster, 1, ports, secret));
      } catch (Throwable e) {
        caller.close();
        throw e;
      }
    }

    private static Grid join(
        String cluster, int index, List<Integer> ports, @Nullable Path secret) {
      HazelgradConfig.Builder builder =
          HazelgradConfig.named("w" + index)
              .hazelcast(BenchStart.configuration(cluster, index, ports));
      return Grid.join((secret == null ? builder : builder.secret(secret)).build());
    }

    void call() {
      caller.rpc().sync("w1", NOOP);
    }

    @Override
    public void close() {
      callee.close();
      caller.close();
    }
  }
}
