package io.hazelgrad.tests;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.hazelgrad.launcher.LocalCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Client of the health endpoint of a worker in a process of its own. */
public record HealthProbe(URI uri) {
  private static final Pattern PLACE = Pattern.compile(", health at (\\S+?/health)");
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final HttpClient HTTP = HttpClient.newBuilder().connectTimeout(PATIENCE).build();
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Finds the endpoint in the line that the worker wrote when it joined. */
  public static HealthProbe of(LocalCluster processes, String worker) {
    for (String line : processes.worker(worker).output()) {
      Matcher place = PLACE.matcher(line);
      if (place.find()) {
        return new HealthProbe(URI.create(place.group(1)));
      }
    }
    throw new AssertionError(worker + " did not say where its health is");
  }

  /** Returns the HTTP status and the state, such as {@code 503 FENCED}. */
  public String ready() {
    return ask("ready");
  }

  /** Returns the HTTP status and the state, such as {@code 503 FENCED}. */
  public String live() {
    return ask("live");
  }

  private String ask(String what) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(uri + "/" + what)).timeout(PATIENCE).build();
    try {
      HttpResponse<String> answer = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
      return answer.statusCode() + " " + JSON.readTree(answer.body()).get("state").asText();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
