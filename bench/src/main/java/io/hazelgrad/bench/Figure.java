package io.hazelgrad.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One measured figure.
 *
 * @param name the name of the figure
 * @param params its parameters
 * @param value the median of a latency, or a rate
 * @param unit its unit
 * @param n the number of timed samples, or of the calls of a rate
 * @param spread the spread of a latency, null for a rate
 * @param load the machine's load average over one minute, as a sign of other load
 */
record Figure(
    String name,
    Map<String, Object> params,
    double value,
    String unit,
    int n,
    @Nullable Spread spread,
    double load) {
  private static final double NANOS_PER_MICRO = 1_000;

  /** Copies the parameters. */
  Figure {
    params = Map.copyOf(params);
  }

  /**
   * The distribution of samples, in microseconds.
   *
   * @param p50 the median
   * @param p99 the 99th percentile
   * @param mean the mean
   */
  public record Spread(double p50, double p99, double mean) {}

  /** Creates a figure of timed samples. */
  static Figure latency(String name, Map<String, Object> params, long[] nanos) {
    long[] sorted = nanos.clone();
    Arrays.sort(sorted);
    int last = sorted.length - 1;
    double p50 = sorted[sorted.length / 2] / NANOS_PER_MICRO;
    double p99 = sorted[Math.min(last, sorted.length * 99 / 100)] / NANOS_PER_MICRO;
    double mean = Arrays.stream(sorted).average().orElse(0) / NANOS_PER_MICRO;
    return new Figure(
        name, params, p50, "us", sorted.length, new Spread(p50, p99, mean), loadAverage());
  }

  /** Creates a figure of {@code n} events in a time, per second. */
  static Figure rate(String name, Map<String, Object> params, String unit, int n, long nanos) {
    return of(name, params, n * 1e9 / nanos, unit, n);
  }

  /** Creates a figure with one value. */
  static Figure of(String name, Map<String, Object> params, double value, String unit, int n) {
    return new Figure(name, params, value, unit, n, null, loadAverage());
  }

  private static double loadAverage() {
    return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  }

  /** Returns the figure as one JSON object in one line. */
  public String toJson() {
    ObjectNode line = JsonNodeFactory.instance.objectNode();
    line.put("name", name);
    ObjectNode named = line.putObject("params");
    new TreeMap<>(params).forEach(named::putPOJO);
    line.put("value", value).put("unit", unit);
    if (spread != null) {
      line.put("p50", spread.p50()).put("p99", spread.p99()).put("mean", spread.mean());
    }
    return line.put("n", n).put("load1", load).toString();
  }

  /** Returns the figure as a line of text. */
  public String toText() {
    String line =
        String.format(
            Locale.ROOT, "%-30s %-42s %12.1f %s", name, new TreeMap<>(params), value, unit);
    return spread == null
        ? line
        : line + String.format(Locale.ROOT, "  (p99 %.1f, n %d)", spread.p99(), n);
  }
}
