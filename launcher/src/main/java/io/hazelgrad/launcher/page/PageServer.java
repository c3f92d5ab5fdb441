package io.hazelgrad.launcher.page;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Serves a page with the workers, references, passes and training jobs of a grid to browsers on
 * this machine. It listens on loopback only and has no password: every user of the machine can read
 * it. It answers only requests that name this machine as their host, so that no web site can read
 * it through a name of its own. Threads: safe.
 */
public final class PageServer implements AutoCloseable {
  /** The address on which every page listens. */
  public static final String HOST = "127.0.0.1";

  private static final byte[] LOOPBACK = {127, 0, 0, 1};
  private static final int OK = 200;
  private static final int FORBIDDEN = 403;
  private static final int NOT_FOUND = 404;
  private static final int NOT_ALLOWED = 405;
  private static final int UNAVAILABLE = 503;
  private static final int THREADS = 6;
  private static final int MAX_PORT = 65_535;

  /** The browser loads and asks nothing beyond this server, and runs no script within the page. */
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
          + " img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private static final Set<String> HOSTS = Set.of(HOST, "localhost", "[::1]");

  private final HttpServer server;
  private final ExecutorService threads;
  private final PageViews views;

  private PageServer(HttpServer server, ExecutorService threads, PageViews views) {
    this.server = server;
    this.threads = threads;
    this.views = views;
  }

  /**
   * Opens the page.
   *
   * @param grid a worker or client
   * @param port the port on loopback; 0 for any free one
   * @throws GridException BAD_ARGUMENT if the port is not between 0 and 65535; BAD_CONFIG if it
   *     cannot be used
   */
  public static PageServer open(GridAccess grid, int port) {
    requirePort(port);
    HttpServer server;
    try {
      server =
          HttpServer.create(new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), port), 0);
    } catch (IOException e) {
      throw new GridException(
          Status.BAD_CONFIG, "cannot open the page at " + HOST + ":" + port + ": " + e, e);
    }
    AtomicInteger count = new AtomicInteger();
    ExecutorService threads =
        Executors.newFixedThreadPool(
            THREADS,
            work -> {
              Thread thread = new Thread(work, "hazelgrad-page-" + count.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    server.setExecutor(threads);
    PageServer page = new PageServer(server, threads, new PageViews(grid));
    server.createContext("/", page::answer);
    server.start();
    return page;
  }

  /** Throws BAD_ARGUMENT if a number is no port; 0 stands for any free one. */
  public static void requirePort(int port) {
    if (port < 0 || port > MAX_PORT) {
      throw new GridException(
          Status.BAD_ARGUMENT, "the port of the page must be between 0 and 65535: " + port);
    }
  }

  /** Returns the address of the page, such as {@code http://127.0.0.1:5901/}. */
  public URI uri() {
    return URI.create("http://" + HOST + ":" + server.getAddress().getPort() + "/");
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (!namesThisMachine(exchange.getRequestHeaders().getFirst("Host"))) {
        send(exchange, FORBIDDEN, PageFile.text("open this page as " + uri() + "\n"));
      } else if (!"GET".equals(exchange.getRequestMethod())) {
        send(exchange, NOT_ALLOWED, PageFile.text("this page answers to GET only\n"));
      } else {
        answer(exchange, exchange.getRequestURI().getPath());
      }
    }
  }

  private void answer(HttpExchange exchange, String path) throws IOException {
    PageViews.View view = views.byPath(path);
    if (view != null) {
      try {
        send(exchange, OK, PageFile.json(view.json()));
      } catch (RuntimeException e) { // The grid may be gone; the page then says why.
        send(exchange, UNAVAILABLE, PageFile.text(e + "\n"));
      }
      return;
    }
    PageFile file = PageFile.byPath(path);
    if (file == null) {
      send(exchange, NOT_FOUND, PageFile.text("no " + path));
    } else {
      send(exchange, OK, file);
    }
  }

  private static boolean namesThisMachine(@Nullable String host) {
    return host != null && HOSTS.contains(host.replaceFirst(":\\d+$", ""));
  }

  private static void send(HttpExchange exchange, int code, PageFile file) throws IOException {
    Headers headers = exchange.getResponseHeaders();
    headers.set("Content-Type", file.type());
    headers.set("Content-Security-Policy", POLICY);
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("Referrer-Policy", "no-referrer");
    headers.set("Cache-Control", "no-store");
    exchange.sendResponseHeaders(code, file.bytes().length);
    exchange.getResponseBody().write(file.bytes());
  }

  /** Closes the port and ends the threads. */
  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
