package io.hazelgrad.tests.chaos;

import io.hazelgrad.grid.RemoteValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts of the results of agents.
 *
 * @param done the number of successes of each kind of work
 * @param failed the number of failures of each kind of work by status, as {@code kind STATUS}
 * @param longest the longest duration of each kind of work in ms without pauses of the JVM; the
 *     longest pause, as {@value #STALL}
 * @param losses the reported losses, as {@code reporter owner}, by ids
 * @param wrong the results that must never occur, one per line
 */
@RemoteValue
record ResultCounts(
    Map<String, Long> done,
    Map<String, Long> failed,
    Map<String, Long> longest,
    List<String> losses,
    List<String> wrong) {
  /** Key of the longest pause among the kinds of work. */
  static final String STALL = "stall";

  static ResultCounts none() {
    return new ResultCounts(Map.of(), Map.of(), Map.of(), List.of(), List.of());
  }

  ResultCounts plus(ResultCounts other) {
    return new ResultCounts(
        merge(done, other.done, Long::sum),
        merge(failed, other.failed, Long::sum),
        merge(longest, other.longest, Long::max),
        append(losses, other.losses),
        append(wrong, other.wrong));
  }

  private static Map<String, Long> merge(
      Map<String, Long> one,
      Map<String, Long> other,
      java.util.function.BinaryOperator<Long> merging) {
    Map<String, Long> merged = new TreeMap<>(one);
    other.forEach((key, count) -> merged.merge(key, count, merging));
    return merged;
  }

  private static List<String> append(List<String> one, List<String> other) {
    List<String> both = new ArrayList<>(one);
    both.addAll(other);
    return both;
  }

  /** Returns the number of failures by status. */
  Map<String, Long> statuses() {
    Map<String, Long> statuses = new TreeMap<>();
    failed.forEach(
        (what, count) ->
            statuses.merge(what.substring(what.lastIndexOf(' ') + 1), count, Long::sum));
    return statuses;
  }
}
