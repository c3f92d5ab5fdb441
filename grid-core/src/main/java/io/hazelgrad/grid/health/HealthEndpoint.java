package io.hazelgrad.grid.health;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.group.LostWorkers;
import io.hazelgrad.grid.group.LostWorkers.Lost;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Reports the health of a worker by HTTP. {@code /health/live} answers 200 if {@link
 * Health#isLive}, {@code /health/ready} answers 200 if {@link Health#isReady}, and both answer 503
 * otherwise. Both return {@link Health} as JSON. The endpoint also answers while the worker is
 * fenced, and ends when the grid closes. Threads: safe.
 */
public final class HealthEndpoint {
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;
  private static final int NOT_ALLOWED = 405;
  private static final int UNAVAILABLE = 503;
  private static final String LIVE = "/health/live";
  private static final String READY = "/health/ready";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Grid grid;
  private final HttpServer server;
  private final ExecutorService threads;
  private final String host;

  HealthEndpoint(Grid grid, String worker, HealthOptions options) {
    this.grid = grid;
    host = options.host().contains(":") ? "[" + options.host() + "]" : options.host();
    try {
      InetAddress address = InetAddress.getByName(options.host());
      server = HttpServer.create(new InetSocketAddress(address, options.port()), 0);
    } catch (IOException e) {
      String at = options.host() + ":" + options.port();
      throw new GridException(
          Status.BAD_CONFIG, "cannot open the health endpoint at " + at + ": " + e, e);
    }
    threads =
        Executors.newFixedThreadPool(
            2,
            work -> {
              Thread thread = new Thread(work, "hazelgrad-" + worker + "-health");
              thread.setDaemon(true);
              return thread;
            });
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  /** Returns the endpoint of a worker; throws BAD_CONFIG without {@link HealthOptions} for one. */
  public static HealthEndpoint of(Grid grid) {
    return grid.service(HealthEndpoint.class);
  }

  /** Returns the base address, to be followed by {@code /live} or {@code /ready}. */
  public URI uri() {
    return URI.create("http://" + host + ":" + server.getAddress().getPort() + "/health");
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getPath();
      if (!LIVE.equals(path) && !READY.equals(path)) {
        send(exchange, NOT_FOUND, "{\"paths\":[\"" + LIVE + "\",\"" + READY + "\"]}");
      } else if (!"GET".equals(exchange.getRequestMethod())
          && !"HEAD".equals(exchange.getRequestMethod())) {
        send(exchange, NOT_ALLOWED, "{\"methods\":[\"GET\",\"HEAD\"]}");
      } else {
        Health health = Health.of(grid);
        boolean good = LIVE.equals(path) ? health.isLive() : health.isReady();
        send(exchange, good ? OK : UNAVAILABLE, json(health, lost()));
      }
    }
  }

  /** Returns the lost workers, for which the operator may have to run a command. */
  private List<Lost> lost() {
    return grid.isSuspended() ? LostWorkers.of(grid.hazelcast()).find() : List.of();
  }

  static String json(Health health, List<Lost> lost) throws JsonProcessingException {
    ObjectNode json = JSON.createObjectNode();
    json.put("worker", health.worker());
    json.put("ready", health.isReady());
    json.put("state", health.state().name());
    json.put("meaning", health.state().meaning());
    json.put("members", health.members());
    Health.Quorum quorum = health.quorum();
    if (quorum != null) {
      json.putPOJO("quorum", quorum);
    }
    if (!lost.isEmpty()) {
      lost.forEach(it -> json.withArray("lost").add(it.toString()));
      json.put("if they have ended for good", LostWorkers.command(lost));
    }
    return JSON.writeValueAsString(json);
  }

  private static void send(HttpExchange exchange, int code, String json) throws IOException {
    byte[] bytes = (json + "\n").getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    boolean headOnly = "HEAD".equals(exchange.getRequestMethod());
    exchange.sendResponseHeaders(code, headOnly ? -1 : bytes.length);
    if (!headOnly) {
      exchange.getResponseBody().write(bytes);
    }
  }

  void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
