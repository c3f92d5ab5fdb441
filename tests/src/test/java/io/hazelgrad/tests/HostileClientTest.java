package io.hazelgrad.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.EntryProcessor;
import java.io.IOException;
import java.io.Serializable;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A raw Hazelcast client that means harm, and what a worker does with what it sends. */
@ExtendWith(Leftovers.class)
class HostileClientTest {
  private static JvmCluster cluster;
  private static HazelcastInstance client;

  @TempDir static Path folder;

  @BeforeAll
  static void start() {
    cluster = JvmCluster.workers("A").start();
    ClientConfig config = new ClientConfig().setClusterName(cluster.processes().name());
    config.getNetworkConfig().addAddress(cluster.processes().clientEndpoint("A"));
    config
        .getConnectionStrategyConfig()
        .getConnectionRetryConfig()
        .setClusterConnectTimeoutMillis(20_000);
    client = HazelcastClient.newHazelcastClient(config);
  }

  @AfterAll
  static void stop() {
    client.shutdown();
    cluster.close();
  }

  @AfterEach
  void workerIsUnharmed() {
    assertThat(cluster.grid().rpc().sync("A", Counter::whoAmI)).isEqualTo("A");
  }

  /** Whether code of the client's ran on a worker; the workers share this machine's files. */
  private static void touch(String file) {
    try {
      Files.createFile(Path.of(file));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A task that names a method of a class that the worker has. */
  private interface Task extends Callable<String>, Serializable {}

  private interface Processor extends EntryProcessor<Object, Object, String> {}

  @Test
  void lambdaAsATaskIsRefused() {
    String file = folder.resolve("task").toString();
    Task task =
        () -> {
          touch(file);
          return "ran";
        };
    assertThatThrownBy(() -> client.getExecutorService("x").submit(task).get(20, TimeUnit.SECONDS))
        .hasStackTraceContaining("is not allowed");
    assertThat(Path.of(file)).doesNotExist();
  }

  @Test
  void lambdaAsAnEntryProcessorIsRefused() {
    String file = folder.resolve("processor").toString();
    Processor processor =
        entry -> {
          touch(file);
          return "ran";
        };
    assertThatThrownBy(() -> client.getMap("mine").executeOnKey("k", processor))
        .hasStackTraceContaining("is not allowed");
    assertThat(Path.of(file)).doesNotExist();
  }

  @Test
  void classesThatReachOutWhileTheyAreReadAreRefused() throws Exception {
    Map<Object, Object> gadget = new HashMap<>();
    gadget.put(new URL("http", "127.0.0.1", "/"), 1);
    client.getMap("mine").put("gadget", gadget);
    Processor reads = new ReadValue();
    assertThatThrownBy(() -> client.getMap("mine").executeOnKey("gadget", reads))
        .hasStackTraceContaining("java.net.URL is not allowed");
    client.getMap("mine").destroy();
  }

  /** A class of this project, and so one that may be read: it looks at the value. */
  private static final class ReadValue implements Processor {
    @Override
    public String process(Map.Entry<Object, Object> entry) {
      return String.valueOf(entry.getValue());
    }
  }

  @Test
  void noiseOnTheSocketsIsDropped() throws IOException {
    String[] endpoint = cluster.processes().clientEndpoint("A").split(":", 2);
    Random random = new Random(1);
    for (int i = 0; i < 50; i++) {
      byte[] noise = new byte[1 + random.nextInt(4000)];
      random.nextBytes(noise);
      if (i % 2 == 0 && noise.length > 3) { // As if it were a client's greeting.
        noise[0] = 'C';
        noise[1] = 'P';
        noise[2] = '2';
      }
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(endpoint[0], Integer.parseInt(endpoint[1])), 5_000);
        socket.getOutputStream().write(noise);
      } catch (IOException e) {
        // It was thrown out before it had said everything.
      }
    }
    assertThat(client.getMap("hazelgrad.workers").size()).isEqualTo(2);
  }
}
