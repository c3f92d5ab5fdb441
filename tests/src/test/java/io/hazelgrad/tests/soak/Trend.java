package io.hazelgrad.tests.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The samples of each count, and their growth over the time that is looked at. */
final class Trend {
  private record Sample(double seconds, double value) {}

  private final Map<String, List<Sample>> samples = new TreeMap<>();

  void add(double seconds, Map<String, Long> counts) {
    counts.forEach(
        (name, value) ->
            samples
                .computeIfAbsent(name, key -> new ArrayList<>())
                .add(new Sample(seconds, value)));
  }

  /** Returns the counts that grow by more than they may between two times, as text. */
  List<String> growing(double from, double to) {
    List<String> growing = new ArrayList<>();
    samples.forEach(
        (name, all) -> {
          List<Sample> looked =
              all.stream().filter(it -> it.seconds() >= from && it.seconds() <= to).toList();
          double growth = slope(looked) * (to - from);
          double mean = looked.stream().mapToDouble(Sample::value).average().orElse(0);
          double allowed = allowed(name, mean) + 2 * noise(looked);
          if (looked.size() >= 3 && growth > allowed) {
            growing.add(
                String.format(
                    Locale.ROOT,
                    "%s grows by %.0f in %.0f s, from a mean of %.0f; %.0f is allowed",
                    name,
                    growth,
                    to - from,
                    mean,
                    allowed));
          }
        });
    return growing;
  }

  /** Returns a line for each count: its first, mean and last value of the time looked at. */
  String summary(double from) {
    StringBuilder text = new StringBuilder();
    samples.forEach(
        (name, all) -> {
          List<Sample> looked = all.stream().filter(it -> it.seconds() >= from).toList();
          if (!looked.isEmpty()) {
            text.append(
                String.format(
                    Locale.ROOT,
                    "  %-45s %14.0f %14.0f %14.0f%n",
                    name,
                    looked.get(0).value(),
                    looked.stream().mapToDouble(Sample::value).average().orElse(0),
                    looked.get(looked.size() - 1).value()));
          }
        });
    return text.toString();
  }

  /** Returns what noise may add: a part of the mean, and a little for small counts. */
  private static double allowed(String name, double mean) {
    return name.endsWith(".bytes") ? 0.05 * mean + (2 << 20) : 0.05 * mean + 5;
  }

  /** Returns the standard deviation from the line of least squares. */
  private static double noise(List<Sample> looked) {
    double x = looked.stream().mapToDouble(Sample::seconds).average().orElse(0);
    double y = looked.stream().mapToDouble(Sample::value).average().orElse(0);
    double slope = slope(looked);
    double squares = 0;
    for (Sample each : looked) {
      double off = each.value() - y - slope * (each.seconds() - x);
      squares += off * off;
    }
    return Math.sqrt(squares / Math.max(1, looked.size()));
  }

  /** Returns the slope of the line of least squares, per second. */
  private static double slope(List<Sample> looked) {
    double x = looked.stream().mapToDouble(Sample::seconds).average().orElse(0);
    double y = looked.stream().mapToDouble(Sample::value).average().orElse(0);
    double above = 0;
    double below = 0;
    for (Sample each : looked) {
      above += (each.seconds() - x) * (each.value() - y);
      below += (each.seconds() - x) * (each.seconds() - x);
    }
    return below == 0 ? 0 : above / below;
  }
}
