package io.hazelgrad.autograd.internal.relay;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The mailbox of a client at the worker that relays for it. The client cannot be called, so it
 * fetches its requests, and sends replies by calls. Threads: safe; futures end outside the lock.
 */
final class RelayMailbox {
  private record Request(long number, String service, List<@Nullable Object> arguments) {}

  private final Worker client;
  private final Deque<Request> requests = new ArrayDeque<>();
  private final Map<Long, CompletableFuture<@Nullable Object>> unanswered = new HashMap<>();
  private @Nullable CompletableFuture<List<@Nullable Object>> waiting;
  private @Nullable GridException closed;
  private long lastNumber;
  private long fetchNanos = System.nanoTime();

  RelayMailbox(Worker client) {
    this.client = client;
  }

  Worker client() {
    return client;
  }

  /** Returns the time since the client's last fetch, in nanoseconds. */
  synchronized long silentNanos() {
    return waiting == null || waiting.isDone() ? System.nanoTime() - fetchNanos : 0;
  }

  /**
   * Sends the client a request. The reply never comes if the client chooses another relay, so the
   * caller must set a time limit. A request whose future has ended is not delivered any more.
   */
  CompletableFuture<@Nullable Object> send(String service, List<@Nullable Object> arguments) {
    CompletableFuture<@Nullable Object> reply = new CompletableFuture<>();
    long number;
    synchronized (this) {
      if (closed != null) {
        return CompletableFuture.failedFuture(closed);
      }
      number = ++lastNumber;
      requests.add(new Request(number, service, arguments));
      unanswered.put(number, reply);
    }
    var unused = reply.whenComplete((result, failure) -> forget(number));
    deliver();
    return reply;
  }

  private synchronized void forget(long number) {
    unanswered.remove(number);
    requests.removeIf(request -> request.number() == number);
  }

  /** Fetches the client's requests; the future ends when there are some. */
  CompletableFuture<List<@Nullable Object>> next() {
    CompletableFuture<List<@Nullable Object>> next = new CompletableFuture<>();
    CompletableFuture<List<@Nullable Object>> before;
    synchronized (this) {
      if (closed != null) {
        return CompletableFuture.failedFuture(closed);
      }
      before = waiting;
      waiting = next;
      fetchNanos = System.nanoTime();
    }
    if (before != null) { // The client has given up its earlier fetch.
      before.complete(List.of());
    }
    deliver();
    return next;
  }

  /** Completes the client's fetch with its requests, if there are both. */
  private void deliver() {
    while (true) {
      CompletableFuture<List<@Nullable Object>> fetch;
      List<Request> all;
      synchronized (this) {
        fetch = waiting;
        if (fetch == null || requests.isEmpty()) {
          return;
        }
        waiting = null;
        all = new ArrayList<>(requests);
        requests.clear();
      }
      if (fetch.complete(parts(all))) {
        return;
      }
      synchronized (this) { // The fetch had timed out: the requests stay for the next one.
        for (int i = all.size() - 1; i >= 0; i--) {
          if (unanswered.containsKey(all.get(i).number())) {
            requests.addFirst(all.get(i));
          }
        }
      }
    }
  }

  /** Returns the form in which requests travel. */
  private static List<@Nullable Object> parts(List<Request> requests) {
    List<@Nullable Object> parts = new ArrayList<>();
    requests.forEach(
        each -> parts.add(new ArrayList<>(List.of(each.number, each.service, each.arguments))));
    return parts;
  }

  /** Completes a request with the client's reply. */
  void replied(long number, @Nullable Object result, @Nullable GridException failure) {
    CompletableFuture<@Nullable Object> reply;
    synchronized (this) {
      reply = unanswered.get(number);
    }
    if (reply != null && failure == null) {
      reply.complete(result);
    } else if (reply != null) {
      reply.completeExceptionally(failure);
    }
  }

  /** Fails all waiting requests and the client's fetch. */
  void close(GridException reason) {
    List<CompletableFuture<?>> all;
    synchronized (this) {
      if (closed != null) {
        return;
      }
      closed = reason;
      all = new ArrayList<>(unanswered.values());
      if (waiting != null) {
        all.add(waiting);
      }
      waiting = null;
    }
    all.forEach(future -> future.completeExceptionally(reason));
  }

  void closeAsGone() {
    close(
        new GridException(
            Status.WORKER_LOST, "client " + client.name() + " (id " + client.id() + ") has gone"));
  }
}
