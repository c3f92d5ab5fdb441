package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.grid.metrics.GridMetrics;
import io.hazelgrad.grid.metrics.Metrics;
import io.hazelgrad.grid.prometheus.PrometheusEndpoint;
import io.hazelgrad.grid.prometheus.PrometheusOptions;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.jmx.JmxConfig;
import io.micrometer.jmx.JmxMeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.hawkular.agent.prometheus.text.TextPrometheusMetricDataParser;
import org.hawkular.agent.prometheus.types.Counter;
import org.hawkular.agent.prometheus.types.Gauge;
import org.hawkular.agent.prometheus.types.Metric;
import org.hawkular.agent.prometheus.types.MetricFamily;
import org.hawkular.agent.prometheus.types.Summary;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The counters of a worker in a registry of Micrometer, in JMX, and as Prometheus reads them. */
class PublishedMetricsTest {
  private static final String FUNCTION = "call.function";
  private static final MBeanServer BEANS = ManagementFactory.getPlatformMBeanServer();
  private static final HttpClient HTTP =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();

  private TestGrids grids;

  @BeforeEach
  void open() {
    grids = new TestGrids();
  }

  @AfterEach
  void end() {
    grids.close();
  }

  private static Grid callingBob(Grid alice) {
    alice.rpc().sync("bob", Calls::length, "x");
    alice.rpc().sync("bob", Calls::length, "y");
    assertThatThrownBy(() -> alice.rpc().sync("bob", Calls::throwing, "x"));
    return alice;
  }

  @Test
  void registryHasFiguresAndCallsAlsoOfLaterDestinations() {
    Grid alice = grids.join("alice");
    MeterRegistry registry = new SimpleMeterRegistry();
    GridMetrics.of(alice).bindTo(registry);
    for (String figure : Metrics.of(alice).figures().keySet()) {
      assertThat(registry.get("hazelgrad." + figure).tag("worker", "alice").gauge().value())
          .as(figure)
          .isNotNaN();
    }
    Grid bob = grids.join("bob");
    MeterRegistry registryOfBob = new SimpleMeterRegistry();
    GridMetrics.of(bob).bindTo(registryOfBob);
    callingBob(alice);

    Tags toBob = Tags.of("destination", "bob", "kind", FUNCTION, "worker", "alice");
    Eventually.until(
        "the meters of calls to bob are there",
        () -> registry.find("hazelgrad.calls.latency").tags(toBob).timeGauges().size() == 5);
    FunctionTimer calls = registry.get("hazelgrad.calls").tags(toBob).functionTimer();
    assertThat(calls.count()).isEqualTo(3);
    assertThat(calls.mean(TimeUnit.SECONDS)).isBetween(1e-6, 60.0);
    assertThat(registry.get("hazelgrad.calls.failed").tags(toBob).functionCounter().count())
        .isEqualTo(1);
    assertThat(registry.get("hazelgrad.calls.sent").tags(toBob).functionCounter().count())
        .isPositive();
    Eventually.until(
        "bob has ended the calls",
        () -> {
          FunctionTimer served =
              registryOfBob.find("hazelgrad.served").tag("kind", FUNCTION).functionTimer();
          return served != null
              && served.count() == 3
              && registryOfBob.get("hazelgrad.served.failed").functionCounter().count() == 1;
        });
  }

  @Test
  void metersOfDestinationAreRemovedWhenItLeaves() {
    Grid alice = grids.join("alice");
    Grid bob = grids.join("bob");
    MeterRegistry registry = new SimpleMeterRegistry();
    callingBob(alice);
    GridMetrics.of(alice).bindTo(registry);
    assertThat(registry.find("hazelgrad.calls").tag("destination", "bob").meters()).isNotEmpty();
    bob.close();
    Eventually.until(
        "the calls to bob are calls to lost workers",
        () ->
            registry.find("hazelgrad.calls").tag("destination", "bob").meters().isEmpty()
                && !registry
                    .find("hazelgrad.calls")
                    .tag("destination", Metrics.LOST)
                    .meters()
                    .isEmpty());
    alice.close();
    assertThat(registry.getMeters()).isEmpty();
  }

  private static JmxConfig domain(String domain) {
    return new JmxConfig() {
      @Override
      public String get(String key) {
        return null;
      }

      @Override
      public String domain() {
        return domain;
      }
    };
  }

  @Test
  void jmxHasFiguresAndCallsUntilGridCloses() throws Exception {
    grids.join("bob");
    Grid alice = callingBob(grids.join("alice"));
    String domain = "hazelgrad-" + alice.worker().incarnation();
    JmxMeterRegistry registry = new JmxMeterRegistry(domain(domain), Clock.SYSTEM);
    try {
      GridMetrics.of(alice).bindTo(registry);
      ObjectName pool =
          new ObjectName(domain + ":name=hazelgradAgentThread_pool_size.worker.alice,type=gauges");
      assertThat(BEANS.getAttribute(pool, "Value")).isEqualTo(16.0);
      assertThat(BEANS.queryNames(new ObjectName(domain + ":name=hazelgradCalls.*,*"), null))
          .isNotEmpty();
      alice.close();
      assertThat(BEANS.queryNames(new ObjectName(domain + ":*"), null)).isEmpty();
    } finally {
      registry.close();
    }
  }

  /** Returns what a Prometheus parser reads at the endpoint, by name. */
  private static Map<String, MetricFamily> read(URI uri) throws Exception {
    HttpResponse<InputStream> answer =
        HTTP.send(
            HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(10)).build(),
            HttpResponse.BodyHandlers.ofInputStream());
    assertThat(answer.statusCode()).isEqualTo(200);
    Map<String, MetricFamily> families = new HashMap<>();
    try (InputStream body = answer.body()) {
      TextPrometheusMetricDataParser parser = new TextPrometheusMetricDataParser(body);
      for (MetricFamily next = parser.parse(); next != null; next = parser.parse()) {
        families.put(next.getName(), next);
      }
    }
    return families;
  }

  private static <T extends Metric> T only(
      Map<String, MetricFamily> families, String name, Class<T> type, Map<String, String> labels) {
    MetricFamily family = families.get(name);
    assertThat(family).as("%s in %s", name, families.keySet()).isNotNull();
    List<Metric> found =
        family.getMetrics().stream().filter(it -> it.getLabels().equals(labels)).toList();
    assertThat(found).as("%s of %s", labels, family.getMetrics()).hasSize(1);
    return type.cast(found.get(0));
  }

  @Test
  void prometheusReadsFiguresAndCallsByDestinationAndKind() throws Exception {
    grids.join("bob");
    Grid alice =
        callingBob(grids.join(HazelgradConfig.named("alice").options(PrometheusOptions.onPort(0))));
    URI uri = PrometheusEndpoint.of(alice).uri();
    assertThat(InetAddress.getByName(uri.getHost()).isLoopbackAddress()).isTrue();
    Map<String, String> self = Map.of("worker", "alice");
    Map<String, String> toBob = Map.of("worker", "alice", "destination", "bob", "kind", FUNCTION);
    Eventually.until(
        "the calls to bob are published",
        () -> {
          try {
            return read(uri).containsKey("hazelgrad_calls_seconds");
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        });

    Map<String, MetricFamily> all = read(uri);
    for (String figure : Metrics.of(alice).figures().keySet()) {
      only(all, "hazelgrad_" + figure.replace('.', '_'), Gauge.class, self);
    }
    assertThat(only(all, "hazelgrad_agent_thread_pool_size", Gauge.class, self).getValue())
        .isEqualTo(16);
    Summary calls = only(all, "hazelgrad_calls_seconds", Summary.class, toBob);
    assertThat(calls.getSampleCount()).isEqualTo(3);
    assertThat(calls.getSampleSum()).isBetween(1e-6, 60.0);
    assertThat(only(all, "hazelgrad_calls_failed_total", Counter.class, toBob).getValue())
        .isEqualTo(1);
    Map<String, String> median = new HashMap<>(toBob);
    median.put("quantile", "0.5");
    assertThat(only(all, "hazelgrad_calls_latency_seconds", Gauge.class, median).getValue())
        .isBetween(1e-6, 60.0);

    alice.close();
    assertThatThrownBy(() -> read(uri)).isInstanceOf(ConnectException.class);
  }

  @Test
  void prometheusIsOffByDefault() {
    Grid alice = grids.join("alice");
    assertThatThrownBy(() -> PrometheusEndpoint.of(alice))
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).isEqualTo(Status.BAD_CONFIG));
  }

  @Test
  void portIsRefusedByNumberWhenUnusable() throws IOException {
    assertThatThrownBy(() -> PrometheusOptions.onPort(65_536)).hasMessageContaining("65536");
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();
      assertThatThrownBy(
              () ->
                  grids.join(
                      HazelgradConfig.named("alice").options(PrometheusOptions.onPort(port))))
          .isInstanceOfSatisfying(
              GridException.class, e -> assertThat(e.status()).isEqualTo(Status.BAD_CONFIG))
          .hasMessageContaining("127.0.0.1:" + port);
    }
  }
}
