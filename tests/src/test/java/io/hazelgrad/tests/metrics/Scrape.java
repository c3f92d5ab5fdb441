package io.hazelgrad.tests.metrics;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * The answer of an endpoint for Prometheus.
 *
 * @param labels the names of the labels of each metric
 */
record Scrape(Map<String, Set<String>> labels) {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final HttpClient HTTP = HttpClient.newBuilder().connectTimeout(PATIENCE).build();
  private static final Pattern SAMPLE =
      Pattern.compile("^(\\w+)(?:\\{(.*)})? \\S+$", Pattern.MULTILINE);
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"(?:[^\"\\\\]|\\\\.)*\"");

  static Scrape of(URI endpoint) {
    Map<String, Set<String>> labels = new TreeMap<>();
    for (MatchResult sample : SAMPLE.matcher(get(endpoint)).results().toList()) {
      Set<String> names = labels.computeIfAbsent(sample.group(1), it -> new TreeSet<>());
      if (sample.group(2) != null) {
        LABEL.matcher(sample.group(2)).results().forEach(it -> names.add(it.group(1)));
      }
    }
    return new Scrape(labels);
  }

  /** Returns the body of a page; fails unless the status is 200. */
  static String get(URI page) {
    try {
      HttpResponse<String> answer =
          HTTP.send(
              HttpRequest.newBuilder(page).timeout(PATIENCE).build(),
              HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() != 200) {
        throw new IOException(page + " answers " + answer.statusCode() + ": " + answer.body());
      }
      return answer.body();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted while " + page + " was read", e);
    }
  }
}
