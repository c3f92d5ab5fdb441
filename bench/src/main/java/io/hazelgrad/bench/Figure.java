package io.hazelgrad.bench;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One measured figure. Its components have the names and the order of the JSON object.
 *
 * @param value the median of a latency in microseconds, or a rate
 * @param p50 the median of a latency in microseconds, like p99 and mean; they are null for a rate
 * @param n the number of timed samples, or of the calls of a rate
 * @param load1 the machine's load average over one minute, as a sign of other load
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Figure(
    String name,
    SortedMap<String, Object> params,
    double value,
    String unit,
    @Nullable Double p50,
    @Nullable Double p99,
    @Nullable Double mean,
    int n,
    double load1) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final double NANOS_PER_MICRO = 1_000;

  static Figure latency(String name, Map<String, Object> params, long[] nanos) {
    long[] sorted = nanos.clone();
    Arrays.sort(sorted);
    int n = sorted.length;
    double p50 = sorted[n / 2] / NANOS_PER_MICRO;
    double p99 = sorted[Math.min(n - 1, n * 99 / 100)] / NANOS_PER_MICRO;
    double mean = Arrays.stream(sorted).average().orElse(0) / NANOS_PER_MICRO;
    return new Figure(name, new TreeMap<>(params), p50, "us", p50, p99, mean, n, loadAverage());
  }

  /** Creates a figure of {@code n} events in a time, per second. */
  static Figure rate(String name, Map<String, Object> params, String unit, int n, long nanos) {
    return of(name, params, n * 1e9 / nanos, unit, n);
  }

  static Figure of(String name, Map<String, Object> params, double value, String unit, int n) {
    return new Figure(name, new TreeMap<>(params), value, unit, null, null, null, n, loadAverage());
  }

  private static double loadAverage() {
    return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  }

  /** Returns the figure as one JSON object in one line. */
  String toJson() {
    return JSON.valueToTree(this).toString();
  }

  String toText() {
    String line = String.format(Locale.ROOT, "%-30s %-42s %12.1f %s", name, params, value, unit);
    return p99 == null ? line : line + String.format(Locale.ROOT, "  (p99 %.1f, n %d)", p99, n);
  }
}
