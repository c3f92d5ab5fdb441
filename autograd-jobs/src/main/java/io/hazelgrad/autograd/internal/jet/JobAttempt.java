package io.hazelgrad.autograd.internal.jet;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.spi.exception.TargetNotMemberException;
import io.hazelgrad.autograd.internal.pass.GradientMessage;
import io.hazelgrad.autograd.internal.pass.PassId;
import io.hazelgrad.autograd.internal.pass.PassParticipant;
import io.hazelgrad.autograd.internal.pass.PassSpec;
import io.hazelgrad.autograd.internal.pass.RelayLostException;
import io.hazelgrad.autograd.internal.plan.MessageId;
import io.hazelgrad.autograd.internal.plan.PlanPart;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.Causes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** An open attempt on one member, registered by its {@link PassId} until it ends. */
final class JobAttempt {
  private static final String RUNS_KEY = "io.hazelgrad.autograd.jet.runs";

  private final ConcurrentMap<PassId, JobAttempt> attempts;
  private final PassParticipant participant;
  private final PassSpec spec;
  private final Map<Integer, Set<MessageId>> takenIn = new HashMap<>();
  private final Map<Integer, Map<MessageId, Integer>> emittedIn = new HashMap<>();
  private final AtomicReference<@Nullable GridException> failure = new AtomicReference<>();

  /** A message and the outbound edge that it leaves by. */
  record Emission(int ordinal, GradientMessage message) {}

  /** The result of an advance, and the duration of its computation. */
  record Advance(List<Emission> emissions, long nanos) {}

  private JobAttempt(
      ConcurrentMap<PassId, JobAttempt> attempts, PassParticipant participant, PassTask task) {
    this.attempts = attempts;
    this.participant = participant;
    this.spec = task.spec();
    for (PlanPart.Send each : spec.part().sends()) {
      takenIn.computeIfAbsent(each.wave(), any -> new HashSet<>()).add(each.id());
    }
    List<PlanPart.Recv> recvs = spec.part().recvs();
    for (int i = 0; i < recvs.size(); i++) {
      emittedIn
          .computeIfAbsent(recvs.get(i).wave(), any -> new HashMap<>())
          .put(recvs.get(i).id(), task.ordinals().get(i));
    }
  }

  /** Opens an attempt on this member; the caller must end it. */
  static JobAttempt open(HazelcastInstance hazelcast, PassTask task) {
    PassId pass = task.spec().pass();
    if (!hazelcast.getCluster().getLocalMember().getUuid().equals(task.member())) {
      throw new TargetNotMemberException("member " + task.member() + " was replaced by another");
    }
    if (!(hazelcast.getUserContext().get(PassParticipant.USER_CONTEXT_KEY)
        instanceof PassParticipant participant)) {
      throw leaves("member " + hazelcast.getName());
    }
    ConcurrentMap<PassId, JobAttempt> attempts = attempts(hazelcast);
    JobAttempt attempt = new JobAttempt(attempts, participant, task);
    if (attempts.putIfAbsent(pass, attempt) != null) {
      throw new GridException(Status.PASS_CONFLICT, "attempt " + pass + " runs already");
    }
    return attempt;
  }

  private static TargetNotMemberException leaves(String who) {
    return new TargetNotMemberException(who + " takes no part in backward passes any more");
  }

  static JobAttempt find(HazelcastInstance hazelcast, PassId pass) {
    JobAttempt attempt = attempts(hazelcast).get(pass);
    if (attempt == null) {
      throw new GridException(Status.INTERNAL, "attempt " + pass + " is not open here");
    }
    return attempt;
  }

  @SuppressWarnings("unchecked") // Only this class uses the key.
  private static ConcurrentMap<PassId, JobAttempt> attempts(HazelcastInstance hazelcast) {
    return (ConcurrentMap<PassId, JobAttempt>)
        hazelcast
            .getUserContext()
            .computeIfAbsent(RUNS_KEY, any -> new ConcurrentHashMap<PassId, JobAttempt>());
  }

  void start() {
    try {
      participant.start(spec);
    } catch (RuntimeException | Error e) {
      throw failed(e, 0);
    }
  }

  /** Returns a new set of the messages whose gradients are taken here in a wave. */
  Set<MessageId> takenIn(int wave) {
    return new HashSet<>(takenIn.getOrDefault(wave, Set.of()));
  }

  void deliver(GradientMessage message, int wave) {
    try {
      participant.deliver(spec.pass(), message);
    } catch (RuntimeException | Error e) {
      throw failed(e, wave);
    }
  }

  /** Returns whether the participant advances after the gradients of a wave. */
  boolean advancesIn(int wave) {
    return takenIn.containsKey(wave) || emittedIn.containsKey(wave + 1);
  }

  /** Lets the participant advance on its executor. */
  CompletableFuture<Advance> advance(int wave) {
    CompletableFuture<Advance> advance = new CompletableFuture<>();
    try {
      participant.executor().execute(() -> advance(wave, advance));
    } catch (RejectedExecutionException e) { // Another attempt may succeed without the worker.
      throw leaves("worker " + participant.worker());
    } catch (RuntimeException e) {
      throw failed(e, wave);
    }
    return advance;
  }

  private void advance(int wave, CompletableFuture<Advance> result) {
    if (result.isCancelled()) {
      return;
    }
    long start = System.nanoTime();
    try {
      var unused =
          participant
              .advance(spec.pass(), wave)
              .thenApply(
                  messages -> new Advance(emissions(messages, wave), System.nanoTime() - start))
              .whenComplete(
                  (advance, failure) -> {
                    if (failure == null) {
                      result.complete(advance);
                    } else if (Causes.of(failure) instanceof RelayLostException lost) {
                      result.completeExceptionally(new TargetNotMemberException(lost.getMessage()));
                    } else {
                      result.completeExceptionally(failed(Causes.of(failure), wave));
                    }
                  });
    } catch (RuntimeException | Error e) {
      result.completeExceptionally(failed(e, wave));
    }
  }

  private List<Emission> emissions(List<GradientMessage> messages, int wave) {
    Map<MessageId, Integer> left = new HashMap<>(emittedIn.getOrDefault(wave + 1, Map.of()));
    List<Emission> emissions = new ArrayList<>();
    for (GradientMessage each : messages) {
      Integer ordinal = left.remove(each.message());
      if (ordinal == null) {
        throw new GridException(
            Status.INTERNAL,
            "worker %s emits %s in wave %s, which the plan does not have there"
                .formatted(participant.worker(), each, wave + 1));
      }
      emissions.add(new Emission(ordinal, each));
    }
    if (!left.isEmpty()) {
      throw new GridException(
          Status.INTERNAL,
          "worker %s does not emit %s in wave %s, as the plan has it"
              .formatted(participant.worker(), left.keySet(), wave + 1));
    }
    return emissions;
  }

  /** Returns the error for gradients that contradict the plan. */
  GridException contradiction(String what, int wave) {
    return failed(
        new GridException(
            Status.INTERNAL, "worker " + participant.worker() + ", wave " + wave + ": " + what),
        wave);
  }

  /** Keeps the first failure; returns it in the form that travels to the submitter. */
  private GridException failed(Throwable cause, int wave) {
    GridException error =
        JobFailures.portable(cause, "worker " + participant.worker() + " failed in wave " + wave);
    failure.compareAndSet(null, error);
    return error;
  }

  void end(@Nullable Throwable error) {
    attempts.remove(spec.pass(), this);
    GridException first = failure.get();
    participant.end(spec.pass(), first != null ? first : error);
  }
}
