package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.hazelgrad.grid.metrics.GridMetrics;
import io.micrometer.core.instrument.Clock;
import io.micrometer.registry.otlp.OtlpConfig;
import io.micrometer.registry.otlp.OtlpMeterRegistry;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.Metric;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The counters of a worker at a collector of OpenTelemetry, which reads the protocol over HTTP. */
class OtlpTest {
  private final BlockingQueue<ExportMetricsServiceRequest> received = new LinkedBlockingQueue<>();
  private TestGrids grids;
  private HttpServer collector;

  @BeforeEach
  void open() throws IOException {
    grids = new TestGrids();
    collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    collector.createContext("/v1/metrics", this::receive);
    collector.start();
  }

  @AfterEach
  void end() {
    collector.stop(0);
    grids.close();
  }

  private void receive(HttpExchange exchange) throws IOException {
    try (exchange;
        InputStream body = exchange.getRequestBody()) {
      received.add(ExportMetricsServiceRequest.parseFrom(body));
      exchange.sendResponseHeaders(200, -1);
    }
  }

  private OtlpConfig config() {
    String url = "http://127.0.0.1:" + collector.getAddress().getPort() + "/v1/metrics";
    return key -> key.equals("otlp.url") ? url : null;
  }

  private static Map<String, String> attributes(List<KeyValue> all) {
    return all.stream()
        .collect(Collectors.toMap(KeyValue::getKey, it -> it.getValue().getStringValue()));
  }

  @Test
  void collectorReceivesFiguresAndCalls() throws Exception {
    Grid alice = grids.join("alice");
    Grid unused = grids.join("bob");
    OtlpMeterRegistry registry = new OtlpMeterRegistry(config(), Clock.SYSTEM);
    GridMetrics.of(alice).bindTo(registry);
    alice.rpc().sync("bob", Calls::length, "x");
    alice.rpc().sync("bob", Calls::length, "y");
    Eventually.until(
        "the meters of calls are there",
        () -> registry.find("hazelgrad.calls").functionTimer() != null);
    registry.close(); // It sends what it has.

    ExportMetricsServiceRequest request = received.poll(10, TimeUnit.SECONDS);
    assertThat(request).isNotNull();
    Map<String, Metric> metrics =
        request.getResourceMetrics(0).getScopeMetrics(0).getMetricsList().stream()
            .collect(Collectors.toMap(Metric::getName, it -> it, (one, other) -> one));
    assertThat(metrics).containsKeys("hazelgrad.agent.thread_pool_size", "hazelgrad.calls");
    var pool = metrics.get("hazelgrad.agent.thread_pool_size").getGauge().getDataPoints(0);
    assertThat(pool.getAsDouble()).isEqualTo(16);
    assertThat(attributes(pool.getAttributesList())).containsExactly(Map.entry("worker", "alice"));
    var calls = metrics.get("hazelgrad.calls").getHistogram().getDataPoints(0);
    assertThat(calls.getCount()).isEqualTo(2);
    assertThat(calls.getSum()).isBetween(1e-3, 60_000.0); // Milliseconds.
    assertThat(attributes(calls.getAttributesList()))
        .containsOnly(
            Map.entry("worker", "alice"),
            Map.entry("destination", "bob"),
            Map.entry("kind", "call.function"));
  }
}
