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
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The mailbox of a client at the worker that relays for it. The client cannot be called, so it asks
 * for its letters, and its answers come with calls of its own.
 *
 * <p>Threads: safe. Futures complete outside the lock.
 */
final class RelayMailbox {
  private record Letter(long number, String service, List<@Nullable Object> arguments) {
    /** As it travels. */
    List<@Nullable Object> parts() {
      return new ArrayList<>(List.of(number, service, arguments));
    }
  }

  private final Worker client;
  private final Deque<Letter> letters = new ArrayDeque<>();
  private final Map<Long, CompletableFuture<@Nullable Object>> unanswered = new HashMap<>();
  private @Nullable CompletableFuture<List<@Nullable Object>> waiting;
  private @Nullable GridException closed;
  private long lastNumber;
  private long askedNanos = System.nanoTime();

  RelayMailbox(Worker client) {
    this.client = client;
  }

  Worker client() {
    return client;
  }

  /** Returns for how long the client has not asked for letters, in nanoseconds. */
  synchronized long silentNanos() {
    return waiting == null || waiting.isDone() ? System.nanoTime() - askedNanos : 0;
  }

  /**
   * Sends the client a letter.
   *
   * @return its answer; it never comes if the client goes on at another relay, so whoever asks must
   *     set an end. A letter whose future has ended is not handed out any more
   */
  CompletableFuture<@Nullable Object> send(String service, List<@Nullable Object> arguments) {
    CompletableFuture<@Nullable Object> answer = new CompletableFuture<>();
    long number;
    synchronized (this) {
      if (closed != null) {
        return CompletableFuture.failedFuture(closed);
      }
      number = ++lastNumber;
      letters.add(new Letter(number, service, arguments));
      unanswered.put(number, answer);
    }
    var unused = answer.whenComplete((result, failure) -> forget(number));
    handOut();
    return answer;
  }

  private synchronized void forget(long number) {
    unanswered.remove(number);
    letters.removeIf(letter -> letter.number() == number);
  }

  /** The client asks for its letters: the future has them when there are some. */
  CompletableFuture<List<@Nullable Object>> next() {
    CompletableFuture<List<@Nullable Object>> next = new CompletableFuture<>();
    CompletableFuture<List<@Nullable Object>> before;
    synchronized (this) {
      if (closed != null) {
        return CompletableFuture.failedFuture(closed);
      }
      before = waiting;
      waiting = next;
      askedNanos = System.nanoTime();
    }
    if (before != null) { // The client has asked anew: it does not wait for that one any more.
      before.complete(List.of());
    }
    handOut();
    return next;
  }

  /** Brings letters and the client together, if both are there. */
  private void handOut() {
    while (true) {
      CompletableFuture<List<@Nullable Object>> asked;
      List<Letter> all;
      synchronized (this) {
        asked = waiting;
        if (asked == null || letters.isEmpty()) {
          return;
        }
        waiting = null;
        all = new ArrayList<>(letters);
        letters.clear();
      }
      if (asked.complete(parts(all))) {
        return;
      }
      synchronized (this) { // Its deadline was over: they stay for the next one.
        for (int i = all.size() - 1; i >= 0; i--) {
          if (unanswered.containsKey(all.get(i).number())) {
            letters.addFirst(all.get(i));
          }
        }
      }
    }
  }

  private static List<@Nullable Object> parts(List<Letter> letters) {
    return letters.stream()
        .<@Nullable Object>map(Letter::parts)
        .collect(Collectors.toCollection(ArrayList::new));
  }

  /** The client has answered a letter. */
  void answered(long number, @Nullable Object result, @Nullable GridException failure) {
    CompletableFuture<@Nullable Object> answer;
    synchronized (this) {
      answer = unanswered.get(number);
    }
    if (answer != null && failure == null) {
      answer.complete(result);
    } else if (answer != null) {
      answer.completeExceptionally(failure);
    }
  }

  /** Ends what waits, on either side. */
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

  static GridException gone(Worker client) {
    return new GridException(
        Status.WORKER_LOST, "client " + client.name() + " (id " + client.id() + ") has gone");
  }
}
