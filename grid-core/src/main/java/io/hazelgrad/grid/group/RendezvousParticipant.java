package io.hazelgrad.grid.group;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.group.ArrivalReply.Kind;
import io.hazelgrad.grid.spi.Causes;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.waits.Meeting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Sends arrivals to leaders, and fetches the values of a gather. Threads: safe. */
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
  private final Set<Wait> open = ConcurrentHashMap.newKeySet();

  RendezvousParticipant(GridContext context, GatherOffers offers) {
    this.context = context;
    this.offers = offers;
  }

  CompletableFuture<@Nullable Void> barrier(RendezvousAttempt attempt) {
    CompletableFuture<ArrivalReply> result = new Wait(attempt, NO_OFFER).begin();
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
  <T extends @Nullable Object> Map<String, T> gather(RendezvousAttempt attempt, T value) {
    GatherOffer offer = offers.add(value);
    try {
      ArrivalReply reply = await(new Wait(attempt, offer.number).begin());
      return await(collect(attempt, reply, offer, value));
    } catch (GridException e) {
      offers.withdraw(offer, e);
      throw e;
    } finally {
      offers.remove(offer);
    }
  }

  <T extends @Nullable Object> CompletableFuture<Map<String, T>> gatherAsync(
      RendezvousAttempt attempt, T value) {
    GatherOffer offer = offers.add(value);
    try {
      CompletableFuture<ArrivalReply> result = new Wait(attempt, offer.number).begin();
      CompletableFuture<Map<String, T>> all =
          result.thenCompose(reply -> collect(attempt, reply, offer, value));
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

  int waiting() {
    return open.size();
  }

  List<Meeting> meetings() {
    return open.stream().map(Wait::meeting).toList();
  }

  void close() {
    open.forEach(wait -> wait.result.completeExceptionally(closed()));
  }

  private GridException closed() {
    return new GridException(
        Status.CLOSED, "worker " + context.self().name() + " has left the grid");
  }

  /** An arrival, until the leader's final answer. */
  private final class Wait {
    private final RendezvousAttempt attempt;
    private final long offer;
    private final CompletableFuture<ArrivalReply> result = context.newFuture();
    private final long thread = Thread.currentThread().getId();
    private volatile List<Worker> expected = List.of();

    Wait(RendezvousAttempt attempt, long offer) {
      this.attempt = attempt;
      this.offer = offer;
    }

    CompletableFuture<ArrivalReply> begin() {
      if (context.ended() != null) {
        throw closed();
      }
      List<Worker> members = attempt.members().get(); // It throws if a member does not exist.
      open.add(this);
      var unused = result.whenComplete((reply, failure) -> open.remove(this));
      send(members);
      if (context.ended() != null) { // Either this check or close() ends the wait.
        result.completeExceptionally(closed());
      }
      return result;
    }

    Meeting meeting() {
      String what = attempt.rendezvous().toString();
      String id = what + " " + attempt.version();
      return Meeting.of(id, what, expected, 1, 0, attempt.startNanos(), thread);
    }

    private void send(List<Worker> members) {
      expected = members;
      if (result.isDone()) {
        return;
      }
      Worker leader = Collections.min(members, Comparator.comparingLong(Worker::id));
      Arrival arrival =
          new Arrival(
              0,
              context.self(),
              attempt.rendezvous(),
              attempt.version(),
              members,
              offer,
              attempt.remainingNanos());
      CompletableFuture<List<@Nullable Object>> call =
          context.tryCall(leader, ARRIVE, arrival.write(), callTimeout(attempt));
      var unused =
          call.whenComplete(
              (answer, failure) -> {
                if (failure == null) {
                  answered(answer);
                } else {
                  failed(leader, failure(failure));
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

    private void answered(List<@Nullable Object> answer) {
      try {
        ArrivalReply reply = ArrivalReply.read(answer);
        switch (reply.kind()) {
          case DONE -> result.complete(reply);
          case MOVED -> retry();
          default -> result.completeExceptionally(reply.failure(attempt));
        }
      } catch (RuntimeException e) {
        result.completeExceptionally(e);
      }
    }

    private void failed(Worker leader, GridException failure) {
      if (failure.status() == Status.WORKER_LOST
          && attempt.rendezvous().isElastic()
          && context.directory().hasLeft(leader.id())) {
        retry();
      } else if (failure.status() == Status.WORKER_LOST) {
        result.completeExceptionally(gone(attempt, leader));
      } else if (failure.status() == Status.TIMEOUT) {
        String text =
            "%s: the leader, worker %s, did not answer within %s"
                .formatted(attempt.rendezvous(), leader.name(), attempt.within());
        result.completeExceptionally(new GridException(Status.TIMEOUT, text, failure));
      } else {
        result.completeExceptionally(failure);
      }
    }

    /** Looks up the leader again after a pause, on a thread that may block. */
    private void retry() {
      // A grid that closes runs nothing more there, but close() ends the wait.
      CompletableFuture.delayedExecutor(PAUSE_MILLIS, TimeUnit.MILLISECONDS, context.background())
          .execute(this::resend);
    }

    private void resend() {
      try {
        if (attempt.remainingNanos() <= 0) {
          throw ArrivalReply.missing(List.of(), List.of()).failure(attempt);
        }
        send(attempt.members().get());
      } catch (RuntimeException e) {
        result.completeExceptionally(e);
      }
    }
  }

  private <T extends @Nullable Object> CompletableFuture<Map<String, T>> collect(
      RendezvousAttempt attempt, ArrivalReply reply, GatherOffer own, T value) {
    Map<String, T> values = Collections.synchronizedMap(new TreeMap<>());
    List<Worker> others = new ArrayList<>();
    List<CompletableFuture<?>> parts = new ArrayList<>();
    for (int i = 0; i < reply.workers().size(); i++) {
      Worker worker = reply.workers().get(i);
      if (worker.id() == context.self().id()) {
        values.put(worker.name(), value);
      } else {
        others.add(worker);
        parts.add(fetch(attempt, worker, reply.offers().get(i), values));
      }
    }
    own.receivers(others);
    parts.add(own.taken);
    expireLater(attempt, own);
    CompletableFuture<Map<String, T>> all = context.newFuture();
    // All parts end, each by its own deadline; the first failure is reported at once.
    for (CompletableFuture<?> part : parts) {
      var unused =
          part.whenComplete(
              (nothing, failure) -> {
                if (failure != null) {
                  all.completeExceptionally(failure(failure));
                }
              });
    }
    var unused =
        CompletableFuture.allOf(parts.toArray(new CompletableFuture<?>[0]))
            .thenRun(() -> all.complete(Collections.unmodifiableMap(new TreeMap<>(values))));
    return all;
  }

  private <T extends @Nullable Object> CompletableFuture<?> fetch(
      RendezvousAttempt attempt, Worker from, long offer, Map<String, T> values) {
    CompletableFuture<List<T>> call =
        context.tryCall(from, TAKE, Arrays.asList(offer), callTimeout(attempt));
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
    if (why.status() == Status.WORKER_LOST) {
      return gone(attempt, from);
    }
    String problem = String.valueOf(why.getMessage());
    try {
      var unused = context.call(from, REFUSED, Arrays.asList(offer, problem), GRACE);
    } catch (GridException e) {
      why.addSuppressed(e); // The other worker is not told; its wait ends at its own deadline.
    }
    String text =
        "%s: cannot receive the value of worker %s: %s"
            .formatted(attempt.rendezvous(), from.name(), problem);
    return new GridException(why.status(), text, false, why.remote(), why);
  }

  private GridException gone(RendezvousAttempt attempt, Worker worker) {
    Kind how = context.directory().hasLeft(worker.id()) ? Kind.LEFT : Kind.LOST;
    return ArrivalReply.of(how, List.of(worker)).failure(attempt);
  }

  private void expireLater(RendezvousAttempt attempt, GatherOffer own) {
    long nanos = attempt.remainingNanos();
    if (nanos == Long.MAX_VALUE || own.taken.isDone()) {
      return;
    }
    Runnable expire =
        () ->
            own.taken.completeExceptionally(
                new GridException(
                    Status.TIMEOUT,
                    "%s: workers %s did not receive the value within %s"
                        .formatted(attempt.rendezvous(), own.missing(), attempt.within())));
    long delay = Math.max(0, nanos) + GRACE.toNanos();
    var timer = context.timer().schedule(expire, delay, TimeUnit.NANOSECONDS);
    var unused = own.taken.whenComplete((nothing, failure) -> timer.cancel(false));
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
        : new GridException(Status.INTERNAL, cause.toString(), cause);
  }
}
