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
 * @param failed how often it ended with each status
 * @param wrong what must never be, a line each
 */
@RemoteValue
record Tally(Map<String, Long> done, Map<String, Long> failed, List<String> wrong) {
  static Tally none() {
    return new Tally(Map.of(), Map.of(), List.of());
  }

  Tally plus(Tally other) {
    List<String> both = new ArrayList<>(wrong);
    both.addAll(other.wrong);
    return new Tally(sum(done, other.done), sum(failed, other.failed), both);
  }

  private static Map<String, Long> sum(Map<String, Long> one, Map<String, Long> other) {
    Map<String, Long> sum = new TreeMap<>(one);
    other.forEach((key, count) -> sum.merge(key, count, Long::sum));
    return sum;
  }
}
