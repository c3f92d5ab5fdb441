package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hazelgrad.grid.group.Shutdown;
import io.hazelgrad.grid.health.Health;
import io.hazelgrad.grid.health.HealthEndpoint;
import io.hazelgrad.grid.health.HealthOptions;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a worker says of how it is; members in processes of their own are in the module tests. */
class HealthTest {
  private static final HttpClient HTTP =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();

  private final TestGrids grids = new TestGrids();

  @AfterEach
  void end() {
    grids.close();
  }

  private static HttpResponse<String> send(URI uri, String method) throws Exception {
    return HTTP.send(
        HttpRequest.newBuilder(uri)
            .method(method, HttpRequest.BodyPublishers.noBody())
            .timeout(Duration.ofSeconds(10))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void workerIsReadyUntilItDrains() throws Exception {
    Grid alice = grids.join(HazelgradConfig.named("alice").options(HealthOptions.onPort(0)));
    Grid bob = grids.join("bob");
    URI uri = HealthEndpoint.of(alice).uri();
    assertThat(InetAddress.getByName(uri.getHost()).isLoopbackAddress()).isTrue();
    URI ready = URI.create(uri + "/ready");

    HttpResponse<String> answer = send(ready, "GET");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
    JsonNode json = new ObjectMapper().readTree(answer.body());
    assertThat(json.get("worker").asText()).isEqualTo("alice");
    assertThat(json.get("ready").asBoolean()).isTrue();
    assertThat(json.get("members").asInt()).isEqualTo(2);
    assertThat(json.get("quorum").get("voters").asInt()).isEqualTo(2);
    assertThat(send(ready, "HEAD").statusCode()).isEqualTo(200);
    assertThat(send(ready, "POST").statusCode()).isEqualTo(405);
    assertThat(send(URI.create(uri + "/other"), "GET").statusCode()).isEqualTo(404);

    CompletableFuture<String> underWay = bob.rpc().async("alice", Calls::block, "health");
    Signals.named("health").awaitStarted();
    CompletableFuture<?> leaving = Shutdown.of(alice).aloneAsync(Duration.ofSeconds(20));
    assertThat(Health.of(alice).state()).isEqualTo(Health.State.DRAINING);
    answer = send(ready, "GET");
    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.body())
        .contains("\"state\":\"DRAINING\"", "\"ready\":false", "it is leaving");
    assertThat(send(URI.create(uri + "/live"), "GET").statusCode()).isEqualTo(200);

    Signals.named("health").release();
    underWay.join();
    leaving.join();
    assertThatThrownBy(() -> send(ready, "GET")).isInstanceOf(ConnectException.class);
    assertThat(Health.of(alice))
        .isEqualTo(new Health("alice", Health.State.CLOSED, 0, Health.of(alice).quorum()));
    assertThat(Health.of(alice).isReady()).isFalse();
  }

  @Test
  void workerIsNotLiveWhenItHasTriedToJoinAnewForOverAMinute() {
    Health stuck = new Health("alice", Health.State.STUCK, 1, null);
    assertThat(stuck.isLive()).isFalse();
    assertThat(stuck.isReady()).isFalse();
    assertThat(stuck.state().meaning()).contains("restart this process");
  }

  @Test
  void suspendedWorkerIsLiveAndNotReady() {
    Health suspended = new Health("alice", Health.State.SUSPENDED, 1, null);
    assertThat(suspended.isLive()).isTrue();
    assertThat(suspended.isReady()).isFalse();
    assertThat(suspended.state().meaning()).contains("started anew at their addresses");
  }

  @Test
  void quorumIsOmittedWhenOff() {
    Grid alice = grids.join(HazelgradConfig.named("alice").quorum(false));
    assertThat(Health.of(alice).quorum()).isNull();
    assertThat(Health.of(alice).isReady()).isTrue();
    assertThatThrownBy(() -> HealthEndpoint.of(alice))
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).isEqualTo(Status.BAD_CONFIG));
  }

  @Test
  void workerIsNotReadyWhenMemberShutsDown() throws Exception {
    Grid alice = grids.join(HazelgradConfig.named("alice").options(HealthOptions.onPort(0)));
    URI live = URI.create(HealthEndpoint.of(alice).uri() + "/live");
    assertThat(send(live, "GET").statusCode()).isEqualTo(200);
    alice.hazelcast().getLifecycleService().terminate();
    assertThatThrownBy(() -> send(live, "GET")).isInstanceOf(ConnectException.class);
  }

  @Test
  void portIsRefusedByNumberWhenUnusable() throws IOException {
    assertThatThrownBy(() -> HealthOptions.onPort(-1)).hasMessageContaining("-1");
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();
      assertThatThrownBy(
              () -> grids.join(HazelgradConfig.named("alice").options(HealthOptions.onPort(port))))
          .isInstanceOfSatisfying(
              GridException.class, e -> assertThat(e.status()).isEqualTo(Status.BAD_CONFIG))
          .hasMessageContaining("127.0.0.1:" + port);
    }
  }
}
