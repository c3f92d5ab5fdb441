package io.hazelgrad.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class FigureTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @Test
  void latencyIsTheMedianInMicroseconds() throws Exception {
    long[] nanos = LongStream.rangeClosed(1, 200).map(i -> (201 - i) * 1000).toArray();
    JsonNode line =
        JSON.readTree(Figure.latency("call", Map.of("transport", "tcp"), nanos).toJson());
    assertThat(line.fieldNames())
        .toIterable()
        .containsExactly("name", "params", "value", "unit", "p50", "p99", "mean", "n", "load1");
    assertThat(line.get("value").doubleValue()).isEqualTo(101);
    assertThat(line.get("p50")).isEqualTo(line.get("value"));
    assertThat(line.get("p99").doubleValue()).isEqualTo(199);
    assertThat(line.get("mean").doubleValue()).isEqualTo(100.5);
    assertThat(line.get("unit").textValue()).isEqualTo("us");
    assertThat(line.get("n").intValue()).isEqualTo(200);
    assertThat(line.at("/params/transport").textValue()).isEqualTo("tcp");
  }

  @Test
  void rateCountsCallsPerSecond() throws Exception {
    JsonNode line =
        JSON.readTree(
            Figure.rate("calls", Map.of("outstanding", 8), "calls/s", 500, 250_000_000L).toJson());
    assertThat(line.fieldNames())
        .toIterable()
        .containsExactly("name", "params", "value", "unit", "n", "load1");
    assertThat(line.get("value").doubleValue()).isEqualTo(2000);
    assertThat(line.at("/params/outstanding").isIntegralNumber()).isTrue();
  }

  @Test
  void makesAllCalls() {
    AtomicInteger made = new AtomicInteger();
    Sampling.inFlight(
        20,
        1,
        () -> {
          made.incrementAndGet();
          return CompletableFuture.completedFuture(true);
        });
    assertThat(made).hasValue(20);
  }
}
