package io.hazelgrad.tests.soak;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.client.config.ClientConfig;
import io.hazelgrad.cli.LocalClients;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import io.hazelgrad.tests.Counter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Thousands of thin clients that come, work and go, a quarter of them without a goodbye. The
 * workers must hold as much afterwards as before. The system property {@code soak.clients} sets the
 * number of clients, 400 by default. Memory, threads and files must not grow after two minutes,
 * when the pools of threads have their size.
 */
@Tag("slow")
class ClientChurnTest {
  private static final int CLIENTS = Integer.getInteger("soak.clients", 400);
  private static final int AT_ONCE = 4;
  private static final int SAMPLES = 40;
  private static final double WARM_SECONDS = 120;

  /** Passes are kept for an hour, so that operators can look at them; their number is bounded. */
  private static final String HISTORY = "map.hazelgrad.passes";

  private static final Duration GONE = Duration.ofMinutes(1);

  /** A late call of a client that has gone is remembered for two minutes. */
  private static final Duration FORGOTTEN = Duration.ofMinutes(4);

  private final Map<String, Trend> trends = new LinkedHashMap<>();

  @Test
  @Timeout(value = 4, unit = TimeUnit.HOURS)
  void workersHoldNothingOfClientsThatCameAndWent() throws Exception {
    try (JvmCluster cluster =
        JvmCluster.workers("A", "B").jvmOptions("-XX:TieredStopAtLevel=4").start()) {
      checkClientsLeaveNothing(cluster, CLIENTS);
    }
    Leftovers.check();
  }

  @Test
  @Timeout(value = 30, unit = TimeUnit.MINUTES)
  void twelveWorkersServeTwoHundredShortClients() throws Exception {
    String[] names = IntStream.range(0, 12).mapToObj(i -> "w" + i).toArray(String[]::new);
    try (JvmCluster cluster = JvmCluster.workers(names).jvmOptions("-Xmx256m").start()) {
      checkClientsLeaveNothing(cluster, 200);
    }
    Leftovers.check();
  }

  private void checkClientsLeaveNothing(JvmCluster cluster, int clients) throws Exception {
    long start = System.nanoTime();
    letCome(cluster, 0, AT_ONCE); // Workers load classes and make their tables.
    awaitNoClients(cluster);
    Map<String, Map<String, Long>> before = tables(cluster);
    int batch = Math.max(AT_ONCE, clients / SAMPLES);
    for (int from = 0; from < clients; from += batch) {
      letCome(cluster, from, Math.min(clients, from + batch));
      sample(cluster, (System.nanoTime() - start) / 1e9);
    }
    awaitNoClients(cluster);
    double end = (System.nanoTime() - start) / 1e9;
    trends.forEach((name, all) -> System.out.printf("%s:%n%s", name, all.summary(WARM_SECONDS)));
    System.out.printf("churn: %d clients in %.0f s%n", clients, end);
    Await.until(FORGOTTEN, () -> String.join(", ", larger(before, tables(cluster))));
    trends.forEach((name, all) -> assertThat(all.growing(WARM_SECONDS, end)).as(name).isEmpty());
  }

  /** Lets clients come, work and go, four at a time. */
  private static void letCome(JvmCluster cluster, int from, int to) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int i = from; i < to; i++) {
        int number = i;
        all.add(threads.submit(() -> beClient(cluster, number)));
      }
      for (Future<?> each : all) {
        each.get(5, TimeUnit.MINUTES);
      }
    } finally {
      threads.shutdown();
      assertThat(threads.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    }
  }

  /** Connects a client by one worker, works with the next two, and ends in one of three ways. */
  private static void beClient(JvmCluster cluster, int number) {
    List<String> workers = cluster.workerNames();
    String way = workers.get(number % workers.size());
    String one = workers.get((number + 1) % workers.size());
    String other = workers.get((number + 2) % workers.size());
    ClientConfig config =
        LocalClients.config(
            cluster.processes().name(), List.of(cluster.processes().worker(way).clientEndpoint()));
    try (GridClient client =
        GridClient.connect(config, HazelgradConfig.named("short-" + number).build())) {
      assertThat(client.rpc().sync(one, SoakProbe::add, number, 1)).isEqualTo(number + 1);
      RRef<Counter> counter = client.rrefs().remote(one, Counter::new);
      RRef<Counter.Kept> kept =
          client.rrefs().durable(Durability.EVERY_REPLY).remote(other, Counter.Kept::new);
      assertThat(client.rpc().sync(other, Counter::addThrough, counter, 2)).isEqualTo(2);
      assertThat(kept.sync(Counter.Kept::add, 3)).isEqualTo(3);
      SoakPasses.run(client.autograd(), client.rpc(), one);
      if (number % 4 == 0) {
        client.hazelcast().getLifecycleService().terminate(); // The references stay behind.
      } else if (number % 4 == 1) {
        counter.close();
        kept.close();
      } // The others leave with open references.
    }
  }

  private static void awaitNoClients(JvmCluster cluster) {
    Await.until(
        GONE,
        () -> {
          int entered = cluster.grid().hazelcast().getMap("hazelgrad.clients").size();
          int live = cluster.rrefs().liveCount();
          return entered + live == 0 ? "" : entered + " clients and " + live + " objects are left";
        });
  }

  /** Returns the tables of each process that are larger than before. */
  private static List<String> larger(
      Map<String, Map<String, Long>> before, Map<String, Map<String, Long>> now) {
    List<String> larger = new ArrayList<>();
    now.forEach(
        (name, tables) ->
            tables.forEach(
                (table, size) -> {
                  long was = before.get(name).getOrDefault(table, 0L);
                  if (size > was) {
                    larger.add("%s has %d in %s, %d before".formatted(name, size, table, was));
                  }
                }));
    return larger;
  }

  /** Returns the sizes of the tables and maps of each process, without the history of passes. */
  private static Map<String, Map<String, Long>> tables(JvmCluster cluster) {
    Map<String, Map<String, Long>> all = counts(cluster);
    all.values().forEach(it -> it.keySet().removeIf(name -> !isTable(name)));
    return all;
  }

  private static boolean isTable(String count) {
    return count.matches("(table|map)[.].*");
  }

  /** Notes memory, threads and files; tables have entries of clients that died a moment ago. */
  private void sample(JvmCluster cluster, double now) {
    counts(cluster)
        .forEach(
            (name, counts) -> {
              counts.keySet().removeIf(ClientChurnTest::isTable);
              trends.computeIfAbsent(name, key -> new Trend()).add(now, counts);
            });
  }

  private static Map<String, Map<String, Long>> counts(JvmCluster cluster) {
    Map<String, Map<String, Long>> counts = new TreeMap<>();
    for (String worker : cluster.workerNames()) {
      Map<String, Long> ofOne = cluster.grid().rpc().sync(worker, SoakProbe::counts);
      counts.put(worker, new TreeMap<>(ofOne));
    }
    counts.put(JvmCluster.DRIVER, SoakProbe.counts(cluster.grid()));
    counts.values().forEach(each -> each.remove(HISTORY));
    return counts;
  }
}
