package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.grid.spi.ClientConnection;
import io.hazelgrad.grid.tracing.Tracing;
import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** OpenTelemetry contexts that travel with calls. */
class TracingTest {
  private static final InMemorySpanExporter SPANS = InMemorySpanExporter.create();
  private static final OpenTelemetrySdk TELEMETRY =
      OpenTelemetrySdk.builder()
          .setTracerProvider(
              SdkTracerProvider.builder()
                  .addSpanProcessor(SimpleSpanProcessor.create(SPANS))
                  .build())
          .build();

  private static TestGrids grids;
  private static List<Grid> all;
  private static Grid alice;

  @BeforeAll
  static void join() {
    grids = new TestGrids();
    alice = grids.join("alice");
    all = List.of(alice, grids.join("bob"), grids.join("carol"));
  }

  @AfterAll
  static void end() {
    grids.close();
    TELEMETRY.close();
  }

  @AfterEach
  void stop() {
    all.forEach(grid -> Tracing.of(grid).use(null));
    SPANS.reset();
    assertThat(Span.current().getSpanContext().isValid()).isFalse();
  }

  private static void trace() {
    all.forEach(grid -> Tracing.of(grid).use(TELEMETRY));
  }

  private static SpanData span(SpanKind kind, String callee) {
    AttributeKey<String> to = AttributeKey.stringKey("hazelgrad.callee");
    List<SpanData> found =
        SPANS.getFinishedSpanItems().stream()
            .filter(s -> s.getKind() == kind && callee.equals(s.getAttributes().get(to)))
            .toList();
    assertThat(found).hasSize(1);
    return found.get(0);
  }

  /** Checks one trace: root, call to bob, bob's function, its call to carol, carol's function. */
  private static void assertOneTrace(Span root) {
    Eventually.until("five spans ended", () -> SPANS.getFinishedSpanItems().size() == 5);
    SpanData toBob = span(SpanKind.CLIENT, "bob");
    SpanData atBob = span(SpanKind.SERVER, "bob");
    SpanData toCarol = span(SpanKind.CLIENT, "carol");
    SpanData atCarol = span(SpanKind.SERVER, "carol");
    assertThat(toBob.getParentSpanId()).isEqualTo(root.getSpanContext().getSpanId());
    assertThat(atBob.getParentSpanId()).isEqualTo(toBob.getSpanId());
    assertThat(toCarol.getParentSpanId()).isEqualTo(atBob.getSpanId());
    assertThat(atCarol.getParentSpanId()).isEqualTo(toCarol.getSpanId());
    assertThat(SPANS.getFinishedSpanItems())
        .extracting(SpanData::getTraceId)
        .containsOnly(root.getSpanContext().getTraceId());
    assertThat(atCarol.getName()).contains("ProfiledCalls::add");
  }

  @Test
  void traceCoversNestedCalls() {
    trace();
    Span root = TELEMETRY.getTracer("test").spanBuilder("root").startSpan();
    try (Scope scope = root.makeCurrent()) {
      assertThat(alice.rpc().sync("bob", ProfiledCalls::addOn, "carol", 1.0, 2.0)).isEqualTo(3);
    }
    root.end();
    assertOneTrace(root);
  }

  @Test
  void traceCoversAsyncFunctions() {
    trace();
    Span root = TELEMETRY.getTracer("test").spanBuilder("root").startSpan();
    try (Scope scope = root.makeCurrent()) {
      var call =
          alice.rpc().async("bob", Function.async(ProfiledCalls::addLater), "carol", 1.0, 2.0);
      assertThat(call.join()).isEqualTo(3);
    }
    root.end();
    assertOneTrace(root);
  }

  @Test
  void traceCoversCallOfClient() {
    trace();
    ClientConfig config = new ClientConfig();
    config.setClusterName(alice.hazelcast().getConfig().getClusterName());
    int port = alice.hazelcast().getCluster().getLocalMember().getAddress().getPort();
    config.getNetworkConfig().addAddress("127.0.0.1:" + port);
    config.setProperty("hazelcast.logging.type", "slf4j");
    HazelcastInstance hazelcast =
        HazelcastClient.newHazelcastClient(ClientConnection.prepare(config));
    try (ClientConnection client =
        ClientConnection.over(hazelcast, config, HazelgradConfig.named("client").build())) {
      client.service(Tracing.class).use(TELEMETRY);
      Span root = TELEMETRY.getTracer("test").spanBuilder("root").startSpan();
      try (Scope scope = root.makeCurrent()) {
        assertThat(client.rpc().sync("bob", ProfiledCalls::addOn, "carol", 1.0, 2.0)).isEqualTo(3);
      }
      root.end();
      assertOneTrace(root);
    } finally {
      hazelcast.shutdown();
    }
  }

  @Test
  void traceBeginsWithCallWhenAbsent() {
    trace();
    alice.rpc().sync("bob", ProfiledCalls::add, 1.0, 2.0);
    Eventually.until("both spans ended", () -> SPANS.getFinishedSpanItems().size() == 2);
    assertThat(span(SpanKind.CLIENT, "bob").getParentSpanContext().isValid()).isFalse();
    assertThat(span(SpanKind.SERVER, "bob").getParentSpanId())
        .isEqualTo(span(SpanKind.CLIENT, "bob").getSpanId());
  }

  @Test
  void failureMarksBothSpans() {
    trace();
    assertThatThrownBy(() -> alice.rpc().sync("bob", ProfiledCalls::failing));
    Eventually.until("both spans ended", () -> SPANS.getFinishedSpanItems().size() == 2);
    assertThat(SPANS.getFinishedSpanItems())
        .allSatisfy(
            span -> {
              assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
              assertThat(span.getAttributes().get(AttributeKey.stringKey("error.type")))
                  .isEqualTo("USER_ERROR");
            });
  }

  @Test
  void contextTravelsWithoutTracer() {
    SpanContext given =
        SpanContext.create(
            "0af7651916cd43dd8448eb211c80319c",
            "b7ad6b7169203331",
            TraceFlags.getSampled(),
            TraceState.getDefault());
    try (Scope scope = Span.wrap(given).makeCurrent();
        Scope baggage = Baggage.builder().put("tenant", "blue").build().makeCurrent()) {
      assertThat(alice.rpc().sync("bob", TracedCalls::seen))
          .isEqualTo(given.getTraceId() + " " + given.getSpanId() + " blue");
    }
    assertThat(SPANS.getFinishedSpanItems()).isEmpty();
    // And nothing of it stays on the callee's threads.
    assertThat(alice.rpc().sync("bob", TracedCalls::seen)).doesNotContain("blue");
  }

  /** Functions that look at their context. */
  @RemoteFunctions
  static final class TracedCalls {
    private TracedCalls() {}

    static String seen() {
      SpanContext current = Span.current().getSpanContext();
      return current.getTraceId()
          + " "
          + current.getSpanId()
          + " "
          + Baggage.current().getEntryValue("tenant");
    }
  }
}
