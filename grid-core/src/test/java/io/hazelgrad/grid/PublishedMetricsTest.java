package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.grid.metrics.Metrics;
import io.hazelgrad.grid.prometheus.PrometheusEndpoint;
import io.hazelgrad.grid.prometheus.PrometheusOptions;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.management.AttributeNotFoundException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The counters of a worker as JMX and Prometheus read them. */
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

  private static Set<ObjectName> beans(String worker) throws Exception {
    return BEANS.queryNames(new ObjectName("io.hazelgrad:type=Grid,worker=" + worker + ",*"), null);
  }

  @Test
  void beanHasFiguresAndTablesOfCalls() throws Exception {
    grids.join("bob");
    Grid alice = callingBob(grids.join("alice"));
    assertThat(beans("alice")).hasSize(1);
    ObjectName bean = beans("alice").iterator().next();
    assertThat(bean.getKeyProperty("instance")).isEqualTo(alice.hazelcast().getName());

    assertThat(BEANS.getAttribute(bean, "agent.thread_pool_size")).isEqualTo(16L);
    assertThat(BEANS.getMBeanInfo(bean).getAttributes())
        .extracting(MBeanAttributeInfo::getName)
        .containsAll(Metrics.of(alice).figures().keySet())
        .contains("Calls", "Served");
    TabularData calls = (TabularData) BEANS.getAttribute(bean, "Calls");
    CompositeData toBob = calls.get(new Object[] {"bob", FUNCTION});
    assertThat(toBob.get("count")).isEqualTo(3L);
    assertThat(toBob.get("errors")).isEqualTo(1L);
    assertThat((long) toBob.get("latency.p50")).isPositive();
    assertThat(BEANS.getAttributes(bean, new String[] {"agent.deadlines", "none"})).hasSize(1);
    assertThatThrownBy(() -> BEANS.getAttribute(bean, "none"))
        .isInstanceOf(AttributeNotFoundException.class);

    ObjectName other = beans("bob").iterator().next();
    Eventually.until(
        "bob has ended them",
        () -> {
          try {
            TabularData served = (TabularData) BEANS.getAttribute(other, "Served");
            CompositeData row = served.get(new Object[] {FUNCTION});
            return row != null && row.get("count").equals(3L) && row.get("errors").equals(1L);
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        });
  }

  @Test
  void beanIsRemovedWhenGridCloses() throws Exception {
    Grid alice = grids.join("alice:1");
    grids.join("bob");
    assertThat(beans(ObjectName.quote("alice:1"))).hasSize(1);
    alice.close();
    assertThat(beans(ObjectName.quote("alice:1"))).isEmpty();
    assertThat(beans("bob")).hasSize(1);
  }

  private static List<String> read(URI uri) throws Exception {
    HttpResponse<String> answer =
        HTTP.send(
            HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(10)).build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).isEqualTo(200);
    return answer.body().lines().toList();
  }

  /** Returns the values of a metric by its labels, as they are written. */
  private static Map<String, String> values(List<String> lines, String metric) {
    return lines.stream()
        .filter(line -> line.startsWith(metric + "{"))
        .collect(
            Collectors.toMap(
                line -> line.substring(metric.length(), line.lastIndexOf(' ')),
                line -> line.substring(line.lastIndexOf(' ') + 1)));
  }

  @Test
  void prometheusReadsFiguresAndCallsByDestinationAndKind() throws Exception {
    grids.join("bob");
    Grid alice =
        callingBob(grids.join(HazelgradConfig.named("alice").options(PrometheusOptions.onPort(0))));
    URI uri = PrometheusEndpoint.of(alice).uri();
    assertThat(InetAddress.getByName(uri.getHost()).isLoopbackAddress()).isTrue();

    List<String> lines = read(uri);
    assertThat(values(lines, "hazelgrad_agent_thread_pool_size"))
        .isEqualTo(Map.of("{worker=\"alice\"}", "16.0"));
    for (String figure : Metrics.of(alice).figures().keySet()) {
      assertThat(values(lines, "hazelgrad_" + figure.replace('.', '_'))).hasSize(1);
    }
    String toBob = "destination=\"bob\",kind=\"call.function\"";
    assertThat(values(lines, "hazelgrad_calls_total"))
        .containsEntry("{" + toBob + ",worker=\"alice\"}", "3.0");
    assertThat(values(lines, "hazelgrad_calls_failed_total"))
        .containsEntry("{" + toBob + ",worker=\"alice\"}", "1.0");
    assertThat(values(lines, "hazelgrad_calls_seconds_count"))
        .containsEntry("{" + toBob + ",worker=\"alice\"}", "3");
    assertThat(values(lines, "hazelgrad_calls_seconds"))
        .hasEntrySatisfying(
            "{" + toBob + ",worker=\"alice\",quantile=\"0.5\"}",
            seconds -> assertThat(Double.parseDouble(seconds)).isBetween(1e-6, 60.0));

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
