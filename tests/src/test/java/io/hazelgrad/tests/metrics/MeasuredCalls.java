package io.hazelgrad.tests.metrics;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.prometheus.PrometheusEndpoint;

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

  /** Returns the URI of this worker's endpoint. */
  static String endpoint() {
    return PrometheusEndpoint.of(Grid.current()).uri().toString();
  }
}
