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
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Takes part in meetings: brings an arrival to the leader, and after a gather fetches the values of
 * the others from them directly.
 *
 * <p>Threads: safe.
 */
final class RendezvousParticipant {
  static final String ARRIVE = "group.arrive";
  static final String TAKE = "group.take";
  static final String REFUSED = "group.refused";

  /**
   * How much longer than the deadline a call may last: the leader ends the wait at the deadline,
   * since only it knows who is missing.
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

  /** Comes to a barrier. */
  CompletableFuture<@Nullable Void> barrier(RendezvousAttempt plan) {
    CompletableFuture<ArrivalReply> met = meet(plan, NO_OFFER);
    return cancelling(met, met.thenApply(verdict -> null));
  }

  /** Waits; a wait that is interrupted takes the arrival back. */
  <T extends @Nullable Object> T await(CompletableFuture<T> future) {
    try {
      return context.await(future);
    } catch (RuntimeException e) {
      future.cancel(true);
      throw e;
    }
  }

  /** Cancelling the result cancels what it comes from. */
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

  /** Gathers, and waits on this thread: what the values bring belongs to its call. */
  Map<String, @Nullable Object> gather(RendezvousAttempt plan, @Nullable Object value) {
    GatherOffer offer = offers.add(value);
    try {
      ArrivalReply verdict = await(meet(plan, offer.number()));
      return await(collect(plan, verdict, offer));
    } catch (GridException e) {
      offers.withdraw(offer, e);
      throw e;
    } finally {
      offers.remove(offer);
    }
  }

  /** Gathers. */
  CompletableFuture<Map<String, @Nullable Object>> gatherAsync(
      RendezvousAttempt plan, @Nullable Object value) {
    GatherOffer offer = offers.add(value);
    try {
      CompletableFuture<ArrivalReply> met = meet(plan, offer.number());
      CompletableFuture<Map<String, @Nullable Object>> all =
          met.thenCompose(verdict -> collect(plan, verdict, offer));
      var unused =
          all.whenComplete(
              (values, failure) -> {
                if (failure != null && Causes.of(failure) instanceof GridException why) {
                  offers.withdraw(offer, why);
                } else {
                  offers.remove(offer);
                }
              });
      return cancelling(met, all);
    } catch (RuntimeException e) {
      offers.remove(offer);
      throw e;
    }
  }

  /** Returns how many waits have not ended. */
  int waiting() {
    return open.size();
  }

  /** Ends all waits. */
  void close() {
    open.values().forEach(wait -> wait.completeExceptionally(closed()));
  }

  private GridException closed() {
    return new GridException(
        Status.CLOSED, "worker " + context.self().name() + " has left the grid");
  }

  private CompletableFuture<ArrivalReply> meet(RendezvousAttempt plan, long offer) {
    if (context.ended() != null) {
      throw closed();
    }
    List<Worker> members = plan.members(); // Throws what is wrong with them.
    CompletableFuture<ArrivalReply> met = context.newFuture();
    long number = numbers.incrementAndGet();
    open.put(number, met);
    var unused = met.whenComplete((verdict, failure) -> open.remove(number));
    attempt(plan, members, offer, met);
    if (context.ended() != null) { // Here or in close(): one of the two sees it.
      met.completeExceptionally(closed());
    }
    return met;
  }

  private void attempt(
      RendezvousAttempt plan, List<Worker> members, long offer, CompletableFuture<ArrivalReply> met) {
    if (met.isDone()) {
      return;
    }
    Worker leader = Collections.min(members, Comparator.comparingLong(Worker::id));
    ArrivalRequest arriving =
        new ArrivalRequest(plan.meeting(), plan.version(), members, offer, plan.remainingNanos());
    CompletableFuture<List<@Nullable Object>> call;
    try {
      call = context.call(leader, ARRIVE, arriving.write(), patience(plan));
    } catch (GridException e) {
      failed(plan, leader, offer, met, e);
      return;
    }
    var unused =
        call.whenComplete(
            (answer, failure) -> {
              if (failure == null) {
                answered(plan, offer, met, answer);
              } else {
                failed(plan, leader, offer, met, failure);
              }
            });
    var unusedCancel =
        met.whenComplete(
            (verdict, failure) -> {
              if (failure != null) {
                call.cancel(false);
              }
            });
  }

  private void answered(
      RendezvousAttempt plan,
      long offer,
      CompletableFuture<ArrivalReply> met,
      List<@Nullable Object> answer) {
    try {
      ArrivalReply verdict = ArrivalReply.read(answer);
      switch (verdict.kind()) {
        case DONE -> met.complete(verdict);
        case MOVED -> again(plan, offer, met);
        default ->
            met.completeExceptionally(
                verdict.failure(plan.meeting(), plan.version(), plan.within()));
      }
    } catch (RuntimeException e) {
      met.completeExceptionally(e);
    }
  }

  private void failed(
      RendezvousAttempt plan,
      Worker leader,
      long offer,
      CompletableFuture<ArrivalReply> met,
      Throwable thrown) {
    GridException failure = failure(thrown);
    boolean left = context.hasLeft(leader.id());
    if (failure.status() == Status.WORKER_LOST && plan.meeting().isElastic() && left) {
      again(plan, offer, met);
    } else if (failure.status() == Status.WORKER_LOST) {
      ArrivalReply verdict = ArrivalReply.of(left ? Kind.LEFT : Kind.LOST, List.of(leader));
      met.completeExceptionally(verdict.failure(plan.meeting(), plan.version(), plan.within()));
    } else if (failure.status() == Status.TIMEOUT) {
      met.completeExceptionally(
          new GridException(
              Status.TIMEOUT,
              plan.meeting()
                  + ": worker "
                  + leader.name()
                  + ", which leads it, did not answer within "
                  + plan.within(),
              false,
              null,
              failure));
    } else {
      met.completeExceptionally(failure);
    }
  }

  /** Looks for the leader anew, in a moment. */
  private void again(RendezvousAttempt plan, long offer, CompletableFuture<ArrivalReply> met) {
    Runnable attempt =
        () -> {
          try {
            if (plan.remainingNanos() <= 0) {
              ArrivalReply late = ArrivalReply.missing(List.of(), List.of());
              throw late.failure(plan.meeting(), plan.version(), plan.within());
            }
            attempt(plan, plan.members(), offer, met);
          } catch (RuntimeException e) {
            met.completeExceptionally(e);
          }
        };
    try {
      var unused =
          context
              .timer()
              .schedule(
                  () -> {
                    try {
                      context.background().execute(attempt);
                    } catch (RejectedExecutionException e) {
                      met.completeExceptionally(closed());
                    }
                  },
                  PAUSE_MILLIS,
                  TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      met.completeExceptionally(closed());
    }
  }

  private CompletableFuture<Map<String, @Nullable Object>> collect(
      RendezvousAttempt plan, ArrivalReply verdict, GatherOffer own) {
    Map<String, @Nullable Object> values = Collections.synchronizedMap(new TreeMap<>());
    List<Worker> others = new ArrayList<>();
    List<CompletableFuture<?>> parts = new ArrayList<>();
    for (int i = 0; i < verdict.workers().size(); i++) {
      Worker worker = verdict.workers().get(i);
      if (worker.id() == context.self().id()) {
        values.put(worker.name(), own.value());
      } else {
        others.add(worker);
        parts.add(fetch(plan, worker, verdict.offers().get(i), values));
      }
    }
    own.takers(others);
    parts.add(own.taken());
    expireLater(plan, own);
    CompletableFuture<Map<String, @Nullable Object>> all = context.newFuture();
    // All parts end, each by its own deadline; the first failure is told at once.
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
      RendezvousAttempt plan, Worker from, long offer, Map<String, @Nullable Object> values) {
    CompletableFuture<List<@Nullable Object>> call;
    try {
      call = context.call(from, TAKE, Arrays.asList(offer), patience(plan));
    } catch (GridException e) {
      return CompletableFuture.failedFuture(unread(plan, from, offer, e));
    }
    return call.handle(
        (reply, thrown) -> {
          if (thrown != null) {
            throw unread(plan, from, offer, failure(thrown));
          }
          values.put(from.name(), reply.get(0));
          return null;
        });
  }

  private GridException unread(RendezvousAttempt plan, Worker from, long offer, GridException why) {
    String problem = String.valueOf(why.getMessage());
    if (why.status() == Status.WORKER_LOST) {
      Kind how = context.hasLeft(from.id()) ? Kind.LEFT : Kind.LOST;
      return ArrivalReply.of(how, List.of(from))
          .failure(plan.meeting(), plan.version(), plan.within());
    }
    try {
      var unused = context.call(from, REFUSED, Arrays.asList(offer, problem), GRACE);
    } catch (GridException e) {
      why.addSuppressed(e); // It is told in vain; its own deadline ends its wait.
    }
    return new GridException(
        why.status(),
        plan.meeting() + ": the value of worker " + from.name() + ": " + problem,
        false,
        why.remote(),
        why);
  }

  private void expireLater(RendezvousAttempt plan, GatherOffer own) {
    long nanos = plan.remainingNanos();
    if (nanos == Long.MAX_VALUE || own.taken().isDone()) {
      return;
    }
    var timer =
        context
            .timer()
            .schedule(
                () ->
                    own.refused(
                        new GridException(
                            Status.TIMEOUT,
                            plan.meeting()
                                + ": workers "
                                + own.missing()
                                + " did not take the value within "
                                + plan.within())),
                Math.max(0, nanos) + GRACE.toNanos(),
                TimeUnit.NANOSECONDS);
    var unused = own.taken().whenComplete((nothing, failure) -> timer.cancel(false));
  }

  private static Duration patience(RendezvousAttempt plan) {
    long nanos = plan.remainingNanos();
    return nanos == Long.MAX_VALUE
        ? Duration.ZERO
        : Duration.ofNanos(Math.max(0, nanos)).plus(GRACE);
  }

  private static GridException failure(Throwable thrown) {
    Throwable cause = thrown;
    while ((cause instanceof CompletionException || cause instanceof ExecutionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause instanceof GridException known
        ? known
        : new GridException(Status.INTERNAL, cause.toString(), false, null, cause);
  }
}
