package io.hazelgrad.grid.group;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.group.ArrivalReply.Kind;
import io.hazelgrad.grid.spi.Causes;
import io.hazelgrad.grid.spi.GridContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Takes part in rendezvous: sends an arrival to the leader, and after a gather fetches the values
 * of the others from them.
 *
 * <p>Threads: safe.
 */
final class RendezvousParticipant {
  static final String ARRIVE = "group.arrive";
  static final String TAKE = "group.take";
  static final String REFUSED = "group.refused";

  /**
   * The time that a call may take beyond the deadline. The leader ends the wait at the deadline,
   * since only it knows which members are missing.
   */
  private static final Duration GRACE = Duration.ofSeconds(1);

  private static final long PAUSE_MILLIS = 20;
  private static final long NO_OFFER = 0;

  private final GridContext context;
  private final GatherOffers offers;
  private final Map<Long, CompletableFuture<?>> open = new ConcurrentHashMap<>();
  private final AtomicLong numbers = new AtomicLong();

  RendezvousParticipant(GridContext context, GatherOffers offers) {
    this.context = context;
    this.offers = offers;
  }

  /** Arrives at a barrier. */
  CompletableFuture<@Nullable Void> barrier(RendezvousAttempt attempt) {
    CompletableFuture<ArrivalReply> result = arrive(attempt, NO_OFFER);
    return cancelling(result, result.thenApply(reply -> null));
  }

  /** Waits; an interrupted wait withdraws the arrival. */
  <T extends @Nullable Object> T await(CompletableFuture<T> future) {
    try {
      return context.await(future);
    } catch (RuntimeException e) {
      future.cancel(true);
      throw e;
    }
  }

  /** Makes the cancellation of the result cancel its source. */
  private static <T> CompletableFuture<T> cancelling(
      CompletableFuture<?> source, CompletableFuture<T> result) {
    var unused =
        result.whenComplete(
            (value, failure) -> {
              if (result.isCancelled()) {
                source.cancel(true);
              }
            });
    return result;
  }

  /** Gathers, and waits on this thread, so that references in the values belong to its call. */
  Map<String, @Nullable Object> gather(RendezvousAttempt attempt, @Nullable Object value) {
    GatherOffer offer = offers.add(value);
    try {
      ArrivalReply reply = await(arrive(attempt, offer.number()));
      return await(collect(attempt, reply, offer));
    } catch (GridException e) {
      offers.withdraw(offer, e);
      throw e;
    } finally {
      offers.remove(offer);
    }
  }

  /** Gathers without waiting. */
  CompletableFuture<Map<String, @Nullable Object>> gatherAsync(
      RendezvousAttempt attempt, @Nullable Object value) {
    GatherOffer offer = offers.add(value);
    try {
      CompletableFuture<ArrivalReply> result = arrive(attempt, offer.number());
      CompletableFuture<Map<String, @Nullable Object>> all =
          result.thenCompose(reply -> collect(attempt, reply, offer));
      var unused =
          all.whenComplete(
              (values, failure) -> {
                if (failure != null && Causes.of(failure) instanceof GridException why) {
                  offers.withdraw(offer, why);
                } else {
                  offers.remove(offer);
                }
              });
      return cancelling(result, all);
    } catch (RuntimeException e) {
      offers.remove(offer);
      throw e;
    }
  }

  /** Returns the number of waits that have not ended. */
  int waiting() {
    return open.size();
  }

  void close() {
    open.values().forEach(wait -> wait.completeExceptionally(closed()));
  }

  private GridException closed() {
    return new GridException(
        Status.CLOSED, "worker " + context.self().name() + " has left the grid");
  }

  private CompletableFuture<ArrivalReply> arrive(RendezvousAttempt attempt, long offer) {
    if (context.ended() != null) {
      throw closed();
    }
    List<Worker> members = attempt.members(); // It throws if a member does not exist.
    CompletableFuture<ArrivalReply> result = context.newFuture();
    long number = numbers.incrementAndGet();
    open.put(number, result);
    var unused = result.whenComplete((reply, failure) -> open.remove(number));
    send(attempt, members, offer, result);
    if (context.ended() != null) { // Either this check or close() ends the wait.
      result.completeExceptionally(closed());
    }
    return result;
  }

  private void send(
      RendezvousAttempt attempt,
      List<Worker> members,
      long offer,
      CompletableFuture<ArrivalReply> result) {
    if (result.isDone()) {
      return;
    }
    Worker leader = Collections.min(members, Comparator.comparingLong(Worker::id));
    ArrivalRequest request =
        new ArrivalRequest(
            attempt.rendezvous(), attempt.version(), members, offer, attempt.remainingNanos());
    CompletableFuture<List<@Nullable Object>> call;
    try {
      call = context.call(leader, ARRIVE, request.write(), callTimeout(attempt));
    } catch (GridException e) {
      failed(attempt, leader, offer, result, e);
      return;
    }
    var unused =
        call.whenComplete(
            (answer, failure) -> {
              if (failure == null) {
                answered(attempt, offer, result, answer);
              } else {
                failed(attempt, leader, offer, result, failure);
              }
            });
    var unusedCancel =
        result.whenComplete(
            (reply, failure) -> {
              if (failure != null) {
                call.cancel(false);
              }
            });
  }

  private void answered(
      RendezvousAttempt attempt,
      long offer,
      CompletableFuture<ArrivalReply> result,
      List<@Nullable Object> answer) {
    try {
      ArrivalReply reply = ArrivalReply.read(answer);
      switch (reply.kind()) {
        case DONE -> result.complete(reply);
        case MOVED -> retry(attempt, offer, result);
        default -> result.completeExceptionally(reply.failure(attempt));
      }
    } catch (RuntimeException e) {
      result.completeExceptionally(e);
    }
  }

  private void failed(
      RendezvousAttempt attempt,
      Worker leader,
      long offer,
      CompletableFuture<ArrivalReply> result,
      Throwable thrown) {
    GridException failure = failure(thrown);
    boolean left = context.hasLeft(leader.id());
    if (failure.status() == Status.WORKER_LOST && attempt.rendezvous().isElastic() && left) {
      retry(attempt, offer, result);
    } else if (failure.status() == Status.WORKER_LOST) {
      ArrivalReply reply = ArrivalReply.of(left ? Kind.LEFT : Kind.LOST, List.of(leader));
      result.completeExceptionally(reply.failure(attempt));
    } else if (failure.status() == Status.TIMEOUT) {
      result.completeExceptionally(
          new GridException(
              Status.TIMEOUT,
              "%s: the leader, worker %s, did not answer within %s"
                  .formatted(attempt.rendezvous(), leader.name(), attempt.within()),
              failure));
    } else {
      result.completeExceptionally(failure);
    }
  }

  /** Looks up the leader again after a pause. */
  private void retry(
      RendezvousAttempt attempt, long offer, CompletableFuture<ArrivalReply> result) {
    Runnable resend =
        () -> {
          try {
            if (attempt.remainingNanos() <= 0) {
              ArrivalReply late = ArrivalReply.missing(List.of(), List.of());
              throw late.failure(attempt);
            }
            send(attempt, attempt.members(), offer, result);
          } catch (RuntimeException e) {
            result.completeExceptionally(e);
          }
        };
    try {
      var unused =
          context
              .timer()
              .schedule(
                  () -> {
                    try {
                      context.background().execute(resend);
                    } catch (RejectedExecutionException e) {
                      result.completeExceptionally(closed());
                    }
                  },
                  PAUSE_MILLIS,
                  TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      result.completeExceptionally(closed());
    }
  }

  private CompletableFuture<Map<String, @Nullable Object>> collect(
      RendezvousAttempt attempt, ArrivalReply reply, GatherOffer own) {
    Map<String, @Nullable Object> values = Collections.synchronizedMap(new TreeMap<>());
    List<Worker> others = new ArrayList<>();
    List<CompletableFuture<?>> parts = new ArrayList<>();
    for (int i = 0; i < reply.workers().size(); i++) {
      Worker worker = reply.workers().get(i);
      if (worker.id() == context.self().id()) {
        values.put(worker.name(), own.value());
      } else {
        others.add(worker);
        parts.add(fetch(attempt, worker, reply.offers().get(i), values));
      }
    }
    own.receivers(others);
    parts.add(own.taken());
    expireLater(attempt, own);
    CompletableFuture<Map<String, @Nullable Object>> all = context.newFuture();
    // All parts end, each by its own deadline; the first failure is reported at once.
    var unused =
        CompletableFuture.allOf(parts.toArray(new CompletableFuture<?>[0]))
            .whenComplete(
                (nothing, failure) -> {
                  if (failure == null) {
                    all.complete(Collections.unmodifiableMap(new TreeMap<>(values)));
                  }
                });
    for (CompletableFuture<?> part : parts) {
      var unusedFailure =
          part.whenComplete(
              (nothing, failure) -> {
                if (failure != null) {
                  all.completeExceptionally(failure(failure));
                }
              });
    }
    return all;
  }

  private CompletableFuture<?> fetch(
      RendezvousAttempt attempt, Worker from, long offer, Map<String, @Nullable Object> values) {
    CompletableFuture<List<@Nullable Object>> call;
    try {
      call = context.call(from, TAKE, Arrays.asList(offer), callTimeout(attempt));
    } catch (GridException e) {
      return CompletableFuture.failedFuture(fetchFailure(attempt, from, offer, e));
    }
    return call.handle(
        (reply, thrown) -> {
          if (thrown != null) {
            throw fetchFailure(attempt, from, offer, failure(thrown));
          }
          values.put(from.name(), reply.get(0));
          return null;
        });
  }

  private GridException fetchFailure(
      RendezvousAttempt attempt, Worker from, long offer, GridException why) {
    String problem = String.valueOf(why.getMessage());
    if (why.status() == Status.WORKER_LOST) {
      Kind how = context.hasLeft(from.id()) ? Kind.LEFT : Kind.LOST;
      return ArrivalReply.of(how, List.of(from)).failure(attempt);
    }
    try {
      var unused = context.call(from, REFUSED, Arrays.asList(offer, problem), GRACE);
    } catch (GridException e) {
      why.addSuppressed(e); // The other worker is not told; its wait ends at its own deadline.
    }
    return new GridException(
        why.status(),
        "%s: cannot receive the value of worker %s: %s"
            .formatted(attempt.rendezvous(), from.name(), problem),
        false,
        why.remote(),
        why);
  }

  private void expireLater(RendezvousAttempt attempt, GatherOffer own) {
    long nanos = attempt.remainingNanos();
    if (nanos == Long.MAX_VALUE || own.taken().isDone()) {
      return;
    }
    var timer =
        context
            .timer()
            .schedule(
                () ->
                    own.fail(
                        new GridException(
                            Status.TIMEOUT,
                            "%s: workers %s did not receive the value within %s"
                                .formatted(attempt.rendezvous(), own.missing(), attempt.within()))),
                Math.max(0, nanos) + GRACE.toNanos(),
                TimeUnit.NANOSECONDS);
    var unused = own.taken().whenComplete((nothing, failure) -> timer.cancel(false));
  }

  private static Duration callTimeout(RendezvousAttempt attempt) {
    long nanos = attempt.remainingNanos();
    return nanos == Long.MAX_VALUE
        ? Duration.ZERO
        : Duration.ofNanos(Math.max(0, nanos)).plus(GRACE);
  }

  private static GridException failure(Throwable thrown) {
    Throwable cause = Causes.of(thrown);
    return cause instanceof GridException known
        ? known
        : new GridException(Status.INTERNAL, cause.toString(), false, null, cause);
  }
}
