package io.hazelgrad.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.client.impl.clientside.HazelcastClientProxy;
import com.hazelcast.client.impl.protocol.ClientMessage;
import com.hazelcast.client.impl.protocol.codec.MCReadMetricsCodec;
import com.hazelcast.client.impl.spi.impl.ClientInvocation;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.internal.metrics.MetricConsumer;
import com.hazelcast.internal.metrics.MetricDescriptor;
import com.hazelcast.internal.metrics.impl.MetricsCompressor;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.launcher.LocalCluster;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.Leftovers;
import io.hazelgrad.testkit.WorkerProbe;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Tests of the metrics of the grid's executors and maps that Management Center reads, by its own
 * messages over a Hazelcast client. {@link SqlTest} has the figures of the grid itself.
 */
class ManagementCenterTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static LocalCluster members;
  private static GridClient maker;
  private static HazelcastInstance reader;

  @BeforeAll
  static void start() {
    members =
        LocalCluster.start(
            LocalCluster.Spec.of(List.of("A", "B"))
                .withJvmOptions(List.of("-Dhazelcast.metrics.collection.frequency=1")));
    maker = GridClient.connect(config());
    reader = HazelcastClient.newHazelcastClient(config());
  }

  private static ClientConfig config() {
    ClientConfig config = new ClientConfig().setClusterName(members.name());
    config
        .getNetworkConfig()
        .addAddress(members.worker("A").clientEndpoint(), members.worker("B").clientEndpoint());
    return config;
  }

  @AfterAll
  static void end() {
    reader.shutdown();
    maker.close();
    members.close();
    Leftovers.check();
  }

  /** Returns the newest values of the metrics of a worker's member, by name and tags. */
  private static Map<String, Long> metrics(String worker) {
    UUID member = maker.worker(worker).incarnation();
    ClientMessage answer;
    try {
      answer =
          new ClientInvocation(
                  ((HazelcastClientProxy) reader).client,
                  MCReadMetricsCodec.encodeRequest(member, 0),
                  null,
                  member)
              .invoke()
              .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError("member " + worker + " has no metrics", e);
    }
    Values values = new Values();
    MCReadMetricsCodec.decodeResponse(answer)
        .elements
        .forEach(batch -> MetricsCompressor.extractMetrics(batch.getValue(), values));
    return values.byName;
  }

  /** Collects metrics; a later batch replaces an earlier one. */
  private static final class Values implements MetricConsumer {
    private static final Set<String> PREFIXES = Set.of("executor", "map");

    final Map<String, Long> byName = new HashMap<>();

    @Override
    public void consumeLong(MetricDescriptor descriptor, long value) {
      if (descriptor.prefix() != null && PREFIXES.contains(descriptor.prefix())) {
        Map<String, String> tags = new TreeMap<>();
        descriptor.readTags(tags::put);
        tags.put(descriptor.discriminator(), descriptor.discriminatorValue());
        byName.put(descriptor.prefix() + "." + descriptor.metric() + tags, value);
      }
    }

    @Override
    public void consumeDouble(MetricDescriptor descriptor, double value) {}
  }

  @Test
  void callsAreInMetricsOfTheirExecutor() {
    String completed = "executor.completed{name=hazelgrad.calls}";
    long before = metrics("A").getOrDefault(completed, 0L);
    for (int i = 0; i < 3; i++) {
      assertThat(maker.rpc().sync("A", WorkerProbe::objectsOf, "B")).isZero();
    }
    Await.until(
        PATIENCE,
        () -> {
          Map<String, Long> found = metrics("A");
          return found.getOrDefault(completed, 0L) >= before + 3
              ? ""
              : completed + " has grown by 3 from " + before + ": " + found;
        });
    assertThat(metrics("A"))
        .containsEntry("executor.pending{name=hazelgrad.calls}", 0L)
        .containsKey("executor.totalExecutionTime{name=hazelgrad.calls}");
  }

  @Test
  void mapsOfTheGridAreInMetrics() {
    try (RRef<Counter> held = maker.rrefs().remote("A", Counter::new)) {
      held.creation().join();
      String entries = "map.ownedEntryCount{name=hazelgrad.rrefs}";
      Await.until(
          PATIENCE,
          () -> {
            long both =
                metrics("A").getOrDefault(entries, 0L) + metrics("B").getOrDefault(entries, 0L);
            return both > 0 ? "" : entries + " is zero on both workers";
          });
    }
  }
}
