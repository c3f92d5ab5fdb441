package io.hazelgrad.tests.metrics;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.prometheus.PrometheusEndpoint;
import java.util.List;

/** Functions that workers call, so that their counters have something to show. */
@RemoteFunctions
final class MeasuredCalls {
  private MeasuredCalls() {}

  static int length(String text) {
    return text.length();
  }

  /** Calls another worker. */
  static int lengthAt(String worker, String text) {
    return Grid.current().rpc().sync(worker, MeasuredCalls::length, text);
  }

  /** Lets each of two workers call the other one. */
  static void work(Grid grid) {
    for (List<String> pair : List.of(List.of("w1", "w2"), List.of("w2", "w1"))) {
      int unused = grid.rpc().sync(pair.get(0), MeasuredCalls::lengthAt, pair.get(1), "abc");
    }
  }

  /** Returns the URI of this worker's endpoint. */
  static String endpoint() {
    return PrometheusEndpoint.of(Grid.current()).uri().toString();
  }
}
