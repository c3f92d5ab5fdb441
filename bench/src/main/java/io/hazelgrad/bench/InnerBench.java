package io.hazelgrad.bench;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Measures the parts of calls, references and passes by JMH: messages, steps of the registry, plans
 * and operations. The figures are nanoseconds and allocated bytes. JMH starts a JVM for each part.
 */
final class InnerBench extends Bench {
  private static final List<String> PARTS =
      List.of("Wire", "Proof", "Registry", "Plan", "Operation");
  private static final TimeValue SECOND = TimeValue.seconds(1);
  private static final int WARM_UPS = 4;
  private static final int MEASUREMENTS = 5;
  private static final String ALLOCATED = "gc.alloc.rate.norm";

  InnerBench(Setting setting) {
    super(setting);
  }

  @Override
  void run() {
    PARTS.forEach(this::measure);
  }

  private void measure(String part) {
    try {
      new Runner(
              new OptionsBuilder()
                  .include("^io\\.hazelgrad\\..*\\." + part + "Benchmark\\.")
                  .mode(Mode.AverageTime)
                  .timeUnit(TimeUnit.NANOSECONDS)
                  .forks(1)
                  .warmupIterations(WARM_UPS)
                  .warmupTime(SECOND)
                  .measurementIterations(MEASUREMENTS)
                  .measurementTime(SECOND)
                  .addProfiler(GCProfiler.class)
                  .shouldFailOnError(true)
                  .verbosity(VerboseMode.SILENT)
                  .build())
          .run()
          .forEach(this::report);
    } catch (RunnerException e) {
      throw new IllegalStateException("JMH could not measure: " + e.getMessage(), e);
    }
  }

  private void report(RunResult measured) {
    BenchmarkParams benchmark = measured.getParams();
    Map<String, Object> params = new TreeMap<>();
    benchmark.getParamsKeys().forEach(key -> params.put(key, benchmark.getParam(key)));
    String name = name(benchmark.getBenchmark());
    Result<?> time = measured.getPrimaryResult();
    int samples = (int) time.getSampleCount();
    report(name, params, time.getScore(), "ns", samples);
    Result<?> allocated = (Result<?>) measured.getSecondaryResults().get(ALLOCATED);
    if (allocated != null) {
      report(name + "_allocated", params, allocated.getScore(), "bytes", samples);
    }
  }

  /** Returns the last two parts of a method's full name, such as {@code wire_write}. */
  private static String name(String method) {
    return method
        .replaceAll(".*\\.(\\w+)Benchmark\\.(\\w+)", "$1_$2")
        .replaceAll("([a-z])([A-Z])", "$1_$2")
        .toLowerCase(Locale.ROOT);
  }
}
