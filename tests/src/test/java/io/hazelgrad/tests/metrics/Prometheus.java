package io.hazelgrad.tests.metrics;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hazelgrad.launcher.Endpoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;

/** A server of Prometheus that reads workers every half second. Closing ends it. */
record Prometheus(Process process, URI uri) implements AutoCloseable {
  private static final Path PROGRAM =
      Path.of(System.getProperty("hazelgrad.tests.prometheus", "/usr/bin/prometheus"));

  /** Starts a server in a folder; skips the test where there is none. */
  static Prometheus start(Path folder, List<URI> endpoints) throws IOException {
    Assumptions.assumeTrue(Files.isExecutable(PROGRAM), "there is no Prometheus at " + PROGRAM);
    String targets =
        endpoints.stream()
            .map(it -> "'" + it.getAuthority() + "'")
            .collect(Collectors.joining(", ", "[", "]"));
    Path file =
        Files.writeString(
            folder.resolve("prometheus.yml"),
            """
            global: {scrape_interval: 500ms}
            scrape_configs:
              - job_name: hazelgrad
                static_configs:
                  - targets: %s
            """
                .formatted(targets));
    String address = "127.0.0.1:" + Endpoint.freePort(new HashSet<>());
    Process process =
        new ProcessBuilder(
                PROGRAM.toString(),
                "--config.file=" + file,
                "--storage.tsdb.path=" + folder.resolve("data"),
                "--web.listen-address=" + address)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("prometheus.log").toFile())
            .start();
    return new Prometheus(process, URI.create("http://" + address));
  }

  /** Returns the series of a query; none while the server starts. */
  JsonNode query(String expression) {
    String text = URLEncoder.encode(expression, StandardCharsets.UTF_8);
    try {
      String answer = Scrape.get(uri.resolve("/api/v1/query?query=" + text));
      return new ObjectMapper().readTree(answer).at("/data/result");
    } catch (UncheckedIOException e) {
      if (process.isAlive()) {
        return new ObjectMapper().createArrayNode();
      }
      throw e;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }
}
