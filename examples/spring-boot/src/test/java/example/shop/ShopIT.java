package example.shop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** Two instances of the jar that was built, each in a JVM of its own. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ShopIT {
  private static final Pattern HAZELCAST_LOGGER = Pattern.compile("] (c\\.h|com\\.hazelcast)\\.");
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final HttpClient HTTP =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();
  private static final int FIRST = 0;
  private static final int SECOND = 1;
  private static final int INSTANCES = 2;

  @TempDir private static Path folder;

  private static final List<Process> PROCESSES = new ArrayList<>();
  private static List<Integer> ports;

  @BeforeAll
  static void start() throws Exception {
    ports = freePorts(2 * INSTANCES);
    for (int instance = 0; instance < INSTANCES; instance++) {
      PROCESSES.add(launch(instance));
    }
    for (int instance = 0; instance < INSTANCES; instance++) {
      awaitMembers(instance, INSTANCES);
    }
  }

  @AfterAll
  static void end() {
    PROCESSES.forEach(Process::destroyForcibly);
  }

  /** The application names no version, so it is Spring Boot's, which is older than Hazelgrad's. */
  @Test
  @Order(0)
  void memberHasTheHazelcastThatSpringBootManages() throws Exception {
    assertThat(log(FIRST))
        .contains("Hazelcast Platform " + System.getProperty("shop.hazelcast") + " ");
  }

  @Test
  @Order(1)
  void callsAnotherWorker() throws Exception {
    assertThat(send("GET", FIRST, "/price?worker=shop-1&thing=pear").body()).isEqualTo("40");
    HttpResponse<String> nobody = send("GET", FIRST, "/price?worker=shop-9&thing=pear");
    assertThat(nobody.statusCode()).isEqualTo(503);
    assertThat(nobody.body()).contains("UNKNOWN_WORKER");
  }

  @Test
  @Order(1)
  void callsBeanOfAnotherInstance() throws Exception {
    assertThat(send("GET", FIRST, "/stock?worker=shop-1&thing=pear").body())
        .isEqualTo("4 at shop-1");
    assertThat(send("GET", FIRST, "/stock?worker=shop-9&thing=pear").body())
        .contains("UNKNOWN_WORKER");
  }

  @Test
  @Order(1)
  void actuatorHasFiguresOfTheWorker() throws Exception {
    assertThat(send("GET", FIRST, "/actuator/metrics/hazelgrad.quorum.voters").body())
        .contains("\"value\":2.0");
  }

  @Test
  @Order(2)
  void holdsObjectsOnAnotherWorker() throws Exception {
    assertThat(send("POST", FIRST, "/basket?worker=shop-1&thing=apple").body())
        .isEqualTo("[\"apple on shop-1\"]");
    assertThat(send("POST", FIRST, "/basket?worker=shop-1&thing=pear").body())
        .isEqualTo("[\"apple on shop-1\",\"pear on shop-1\"]");
  }

  /** Native libraries lie in jars within the jar. */
  @Test
  @Order(3)
  void computesOnAnotherWorker() throws Exception {
    assertThat(send("GET", FIRST, "/product?worker=shop-1&size=300").body()).isEqualTo("300.0");
  }

  @Test
  @Order(4)
  void leavesInGoodOrder() throws Exception {
    Process second = PROCESSES.get(SECOND);
    second.destroy(); // SIGTERM
    assertThat(second.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(second.exitValue()).isEqualTo(128 + 15);
    assertThat(log(SECOND)).doesNotContain("did not leave cleanly");
    // Hazelcast itself logs requests of others that come too early or too late for it.
    assertThat(log(SECOND).lines().filter(line -> !HAZELCAST_LOGGER.matcher(line).find()))
        .isNotEmpty()
        .noneMatch(line -> line.contains(" ERROR ") || line.contains("Exception"));
    awaitMembers(FIRST, INSTANCES - 1);
    HttpResponse<String> lost = send("POST", FIRST, "/basket?worker=shop-1&thing=plum");
    assertThat(lost.statusCode()).isEqualTo(503);
    assertThat(lost.body()).contains("RREF_LOST");
    assertThat(send("POST", FIRST, "/basket?worker=shop-0&thing=plum").body())
        .isEqualTo("[\"plum on shop-0\"]");
  }

  private static Process launch(int instance) throws IOException {
    Path flags = Path.of(System.getProperty("shop.flags"));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("@" + flags.resolve("jvm.flags"));
    if (Runtime.version().feature() >= 24) {
      command.add("@" + flags.resolve("jvm24.flags"));
    }
    command.addAll(
        List.of(
            "-Xmx384m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-jar",
            System.getProperty("shop.jar"),
            "--hazelgrad.name=shop-" + instance,
            "--shop.port=" + ports.get(instance),
            "--server.port=" + ports.get(INSTANCES + instance),
            "--shop.members="
                + String.join(
                    ",",
                    ports.stream().limit(INSTANCES).map(port -> "127.0.0.1:" + port).toList())));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("log-" + instance).toFile())
        .start();
  }

  private static String log(int instance) throws IOException {
    return Files.readString(folder.resolve("log-" + instance));
  }

  private static void awaitMembers(int instance, int members) throws Exception {
    long end = System.nanoTime() + PATIENCE.toNanos();
    String seen = "";
    while (!seen.contains("\"members\":" + members)) {
      assertThat(PROCESSES.get(instance).isAlive()).as(log(instance)).isTrue();
      assertThat(System.nanoTime()).as(seen + "\n" + log(instance)).isLessThan(end);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
      try {
        HttpResponse<String> answer = send("GET", instance, "/actuator/health/readiness");
        seen = answer.statusCode() == 200 ? answer.body() : "not ready: " + answer.body();
      } catch (IOException e) {
        seen = e.toString(); // It is not there yet.
      }
    }
  }

  private static HttpResponse<String> send(String method, int instance, String path)
      throws Exception {
    return HTTP.send(
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + ports.get(INSTANCES + instance) + path))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .timeout(Duration.ofSeconds(30))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private static List<Integer> freePorts(int count) throws IOException {
    List<ServerSocket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
      }
      return sockets.stream().map(ServerSocket::getLocalPort).toList();
    } finally {
      for (ServerSocket socket : sockets) {
        socket.close();
      }
    }
  }
}
