package io.hazelgrad.tests.chaos;

import io.hazelgrad.grid.RemoteValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What agents did.
 *
 * @param done how often each kind of work went well
 * @param failed how often each kind of work ended with each status, as {@code kind STATUS}
 * @param longest how long each kind of work took at most, in milliseconds, when the JVM ran; and
 *     how long that did not, as {@value #STALL}
 * @param losses who called whom lost, as {@code reporter owner}, by their ids
 * @param wrong what must never be, a line each
 */
@RemoteValue
record Tally(
    Map<String, Long> done,
    Map<String, Long> failed,
    Map<String, Long> longest,
    List<String> losses,
    List<String> wrong) {
  /** Named like a kind of work. */
  static final String STALL = "stall";

  static Tally none() {
    return new Tally(Map.of(), Map.of(), Map.of(), List.of(), List.of());
  }

  Tally plus(Tally other) {
    return new Tally(
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

  /** Returns how often work ended with each status. */
  Map<String, Long> statuses() {
    Map<String, Long> statuses = new TreeMap<>();
    failed.forEach(
        (what, count) ->
            statuses.merge(what.substring(what.lastIndexOf(' ') + 1), count, Long::sum));
    return statuses;
  }
}
