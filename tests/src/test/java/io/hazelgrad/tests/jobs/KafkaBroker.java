package io.hazelgrad.tests.jobs;

import io.hazelgrad.launcher.Endpoint;
import io.hazelgrad.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.IntegerSerializer;

/** A real broker of Kafka, in KRaft mode, in a JVM of its own on loopback. */
final class KafkaBroker implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final String bootstrap;
  private final Process process;
  private final Path log;

  private KafkaBroker(String bootstrap, Process process, Path log) {
    this.bootstrap = bootstrap;
    this.process = process;
    this.log = log;
  }

  /** Starts a broker whose files are in an empty folder, and waits until it answers. */
  static KafkaBroker start(Path folder) throws IOException {
    Set<Integer> taken = new HashSet<>();
    String bootstrap = "127.0.0.1:" + Endpoint.freePort(taken);
    String controller = "127.0.0.1:" + Endpoint.freePort(taken);
    Path settings =
        Files.write(
            folder.resolve("server.properties"),
            List.of(
                "process.roles=broker,controller",
                "node.id=1",
                "controller.quorum.voters=1@" + controller,
                "listeners=PLAINTEXT://" + bootstrap + ",CONTROLLER://" + controller,
                "controller.listener.names=CONTROLLER",
                "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
                "log.dirs=" + folder.resolve("logs"),
                "offsets.topic.replication.factor=1"));
    Path log = folder.resolve("broker.log");
    Process format =
        run(
            log,
            "kafka.tools.StorageTool",
            "format",
            "-t",
            "hazelgrad-tests-1",
            "-c",
            "" + settings);
    Await.until("the folder is formatted; see " + log, PATIENCE, () -> !format.isAlive());
    KafkaBroker broker = new KafkaBroker(bootstrap, run(log, "kafka.Kafka", "" + settings), log);
    try {
      Await.until("the broker answers; see " + log, PATIENCE, broker::answers);
      return broker;
    } catch (Throwable e) {
      broker.close();
      throw e;
    }
  }

  private static Process run(Path log, String main, String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                "-cp",
                System.getProperty("java.class.path"),
                main));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
        .start();
  }

  private boolean answers() {
    if (!process.isAlive()) {
      throw new AssertionError("the broker has ended; see " + log);
    }
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      return !admin.describeCluster().nodes().get(1, TimeUnit.SECONDS).isEmpty();
    } catch (Exception e) {
      return false; // It does not listen yet.
    }
  }

  /** Returns the address for clients. */
  String bootstrap() {
    return bootstrap;
  }

  /** Makes a topic with the numbers from 0 on, in turn in its partitions. */
  void fill(String topic, int partitions, int numbers)
      throws ExecutionException, InterruptedException {
    Map<String, Object> settings = Map.of("bootstrap.servers", bootstrap);
    try (Admin admin = Admin.create(settings);
        KafkaProducer<Integer, Integer> producer =
            new KafkaProducer<>(settings, new IntegerSerializer(), new IntegerSerializer())) {
      var unused =
          admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1))).all().get();
      List<Future<?>> sent = new ArrayList<>();
      for (int i = 0; i < numbers; i++) {
        sent.add(producer.send(new ProducerRecord<>(topic, i % partitions, i, i)));
      }
      producer.flush();
      for (Future<?> each : sent) {
        each.get();
      }
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
