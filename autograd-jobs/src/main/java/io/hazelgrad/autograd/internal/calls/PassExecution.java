package io.hazelgrad.autograd.internal.calls;

import io.hazelgrad.autograd.internal.calls.PassStateMachine.Advance;
import io.hazelgrad.autograd.internal.calls.PassStateMachine.Done;
import io.hazelgrad.autograd.internal.calls.PassStateMachine.Reply;
import io.hazelgrad.autograd.internal.calls.PassStateMachine.Send;
import io.hazelgrad.autograd.internal.calls.PassStateMachine.Step;
import io.hazelgrad.autograd.internal.pass.AttemptOutcome;
import io.hazelgrad.autograd.internal.pass.GradientMessage;
import io.hazelgrad.autograd.internal.pass.PassId;
import io.hazelgrad.autograd.internal.pass.PassParticipant;
import io.hazelgrad.autograd.internal.pass.PassSpec;
import io.hazelgrad.autograd.internal.pass.RelayLostException;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.Causes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One host's part in one attempt: performs the steps of {@link PassStateMachine}, on the threads
 * that deliver the events.
 *
 * <p>States: a batch may arrive while the part is NEW, before the host was told of the attempt; it
 * waits. The part is STARTING while the participant reserves its nodes, then RUNNING, and OVER once
 * it is done or has failed, here or on another host.
 *
 * <p><b>Races.</b> A thread reads and changes the state under the lock, and acts on it without the
 * lock. If the part ends while the participant starts, the starting thread ends the participant.
 * The result of an advance is dropped if the part is over.
 *
 * <p><b>Invariants.</b> Every batch gets a reply, or a failure when the part is over. The
 * participant is ended once if it was started. A part that is done can still fail if a batch of it
 * did not arrive.
 */
final class PassExecution {
  /** The role of this host in the attempt: coordinator, or not. */
  interface Host {
    /** Sends a batch and returns the reply; cancelling that tells the other host. */
    CompletableFuture<List<@Nullable Object>> send(
        int wave, long host, List<GradientMessage> messages);

    /** Handles the end of the part; {@code isReported} if a reply has told the coordinator. */
    void done(boolean isReported);

    /** Handles a reply that says that the part of another host is done. */
    void hostDone(long host);

    /** Handles a failure; the {@code informed} hosts learn of it by the end of their batches. */
    void failed(AttemptOutcome outcome, Set<Long> informed);

    /** Returns whether the part ends when this worker is lost. */
    default boolean endsWith(long worker) {
      return false;
    }

    /** Returns whether the coordinator should have ended the part already. */
    default boolean isExpired(long nowNanos, LongPredicate isLiving) {
      return false;
    }
  }

  private enum State {
    NEW,
    STARTING,
    RUNNING,
    OVER
  }

  /** The id of the one batch of a wave from a host, or to it. */
  private record BatchId(int wave, long host) {}

  private final PassId pass;
  private final Consumer<PassExecution> onOver;

  // All fields below are guarded by this.
  private State state = State.NEW;

  /** The steps of batches that arrived before the part was running. */
  private final List<Supplier<List<Step>>> early = new ArrayList<>();

  private final Map<BatchId, CompletableFuture<List<@Nullable Object>>> unanswered =
      new HashMap<>();
  private final Map<BatchId, CompletableFuture<?>> sent = new HashMap<>();
  private @Nullable Throwable failure;
  private @Nullable Part part;

  /** The parts that exist once the host was told of the attempt. */
  private record Part(PassParticipant participant, PassStateMachine steps, Host host) {}

  PassExecution(PassId pass, Consumer<PassExecution> onOver) {
    this.pass = pass;
    this.onOver = onOver;
  }

  /** Starts the participant, then handles the early batches. */
  void start(PassParticipant participant, PassSpec spec, PassStateMachine steps, Host host) {
    Part started = new Part(participant, steps, host);
    synchronized (this) {
      if (state != State.NEW) {
        throw pass.over();
      }
      state = State.STARTING;
      part = started;
    }
    GridException thrown = null;
    try {
      participant.start(spec);
    } catch (RuntimeException | Error e) {
      thrown = portable(e);
    }
    Throwable ended;
    synchronized (this) {
      ended = failure;
      if (ended == null && thrown == null) {
        state = State.RUNNING;
      }
    }
    if (ended != null) { // By another thread, while the participant started.
      participant.end(pass, ended);
    } else if (thrown != null) {
      participant.end(pass, thrown);
      fail(new AttemptOutcome.Failed(thrown));
    } else {
      perform(steps::start);
      List<Supplier<List<Step>>> came;
      synchronized (this) {
        came = List.copyOf(early);
        early.clear();
      }
      came.forEach(this::perform);
    }
  }

  CompletableFuture<List<@Nullable Object>> receive(
      int wave, long host, List<GradientMessage> messages) {
    CompletableFuture<List<@Nullable Object>> reply = new CompletableFuture<>();
    Supplier<List<Step>> arrival = () -> part().steps.arrived(wave, host, messages, true);
    synchronized (this) {
      if (state == State.OVER) {
        throw pass.over();
      }
      if (unanswered.putIfAbsent(new BatchId(wave, host), reply) != null) {
        throw new GridException(
            Status.INTERNAL, "two batches of host " + host + " for wave " + wave + " of " + pass);
      }
      if (state != State.RUNNING) {
        early.add(arrival);
        return reply;
      }
    }
    perform(arrival);
    return reply;
  }

  private void replied(int wave, long host, @Nullable Object values) {
    try {
      GradientBatchReply reply = GradientBatchReply.read(values);
      if (reply.lost() != null) {
        fail(new AttemptOutcome.MemberLost(reply.lost()));
        return;
      }
      if (!reply.messages().isEmpty()) {
        perform(() -> part().steps.arrived(wave + 1, host, reply.messages(), false));
      }
      if (reply.isLast()) {
        part().host.hostDone(host);
      }
    } catch (RuntimeException | Error e) {
      fail(new AttemptOutcome.Failed(portable(e)));
    }
  }

  private Part part() {
    return Objects.requireNonNull(part);
  }

  /** Performs steps, and the steps that follow from them without waiting. */
  private void perform(Supplier<List<Step>> first) {
    Deque<Step> steps = new ArrayDeque<>();
    if (!add(steps, first)) {
      return;
    }
    for (Step next = steps.poll(); next != null; next = steps.poll()) {
      if (next instanceof Advance advance) {
        CompletableFuture<List<GradientMessage>> emitted = advance(advance);
        if (!emitted.isDone()) {
          var unused = emitted.whenComplete((messages, e) -> perform(() -> advanced(emitted)));
        } else if (!add(steps, () -> advanced(emitted))) {
          return;
        }
      } else if (next instanceof Reply reply) {
        reply(reply);
      } else if (next instanceof Send send) {
        send(send.wave(), send.host(), send.messages());
      } else if (next instanceof Done done) {
        done(done);
      }
    }
  }

  /** Adds the next steps, under the lock; false if the part is over, or the steps failed. */
  private boolean add(Deque<Step> steps, Supplier<List<Step>> step) {
    try {
      synchronized (this) {
        if (state != State.RUNNING) {
          return false;
        }
        steps.addAll(step.get());
      }
      return true;
    } catch (RuntimeException | Error e) {
      fail(
          Causes.of(e) instanceof RelayLostException lost
              ? new AttemptOutcome.MemberLost(String.valueOf(lost.getMessage()))
              : new AttemptOutcome.Failed(portable(e)));
      return false;
    }
  }

  private List<Step> advanced(CompletableFuture<List<GradientMessage>> emitted) {
    return part().steps.advanced(emitted.join());
  }

  private CompletableFuture<List<GradientMessage>> advance(Advance advance) {
    PassParticipant participant = part().participant;
    try {
      advance.taken().forEach(each -> participant.deliver(pass, each));
      return participant.advance(pass, advance.wave()).toCompletableFuture();
    } catch (RuntimeException | Error e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void reply(Reply reply) {
    CompletableFuture<List<@Nullable Object>> open;
    synchronized (this) {
      open = unanswered.remove(new BatchId(reply.wave(), reply.host()));
    }
    if (open != null) {
      open.complete(new GradientBatchReply(null, reply.isLast(), reply.messages()).write());
    }
  }

  /** Sends a batch; the reply continues the steps. */
  void send(int wave, long host, List<GradientMessage> messages) {
    CompletableFuture<List<@Nullable Object>> reply;
    try {
      reply = part().host.send(wave, host, messages);
    } catch (RuntimeException e) {
      reply = CompletableFuture.failedFuture(e);
    }
    BatchId id = new BatchId(wave, host);
    synchronized (this) {
      if (state == State.OVER && failure != null) {
        reply.cancel(true);
        return;
      }
      sent.put(id, reply);
    }
    var unused =
        reply.whenComplete(
            (values, thrown) -> {
              synchronized (this) {
                sent.remove(id);
              }
              if (thrown == null) {
                replied(wave, host, values);
              } else {
                fail(GradientBatchReply.outcomeOf(Causes.of(thrown)));
              }
            });
  }

  private void done(Done done) {
    synchronized (this) {
      if (state == State.OVER) {
        return;
      }
      state = State.OVER;
    }
    onOver.accept(this);
    part().participant.end(pass, null);
    part().host.done(done.isReported());
  }

  /** Ends the part with a failure, unless it has failed already. */
  void fail(AttemptOutcome outcome) {
    fail(outcome, false);
  }

  /** As {@link #fail}, without telling the coordinator. */
  void stop() {
    fail(new AttemptOutcome.Failed(pass.over()), true);
  }

  private void fail(AttemptOutcome outcome, boolean isReported) {
    Throwable why = outcome instanceof AttemptOutcome.Failed f ? f.error() : pass.over();
    State before;
    Part ended;
    Map<BatchId, CompletableFuture<List<@Nullable Object>>> open;
    List<CompletableFuture<?>> calls;
    synchronized (this) {
      if (failure != null) {
        return;
      }
      before = state;
      state = State.OVER;
      failure = why;
      ended = part;
      open = Map.copyOf(unanswered);
      unanswered.clear();
      calls = List.copyOf(sent.values());
      sent.clear();
    }
    onOver.accept(this);
    if (ended != null && before == State.RUNNING) {
      ended.participant.end(pass, why);
    }
    Set<Long> informed = new HashSet<>();
    open.forEach(
        (batch, each) -> {
          informed.add(batch.host);
          if (outcome instanceof AttemptOutcome.MemberLost lost) {
            each.complete(GradientBatchReply.lost(lost.reason()));
          } else {
            each.completeExceptionally(why);
          }
        });
    calls.forEach(each -> each.cancel(true));
    if (ended != null && !isReported) {
      ended.host.failed(outcome, informed);
    }
  }

  /** Ends a part that was not begun when its last batch was cancelled. A new part has none. */
  void forget() {
    synchronized (this) {
      boolean wasCancelled = unanswered.values().removeIf(CompletableFuture::isDone);
      if (!wasCancelled || state != State.NEW || !unanswered.isEmpty()) {
        return;
      }
    }
    stop();
  }

  /** Returns the role of this host, or null before the part has begun. */
  synchronized @Nullable Host host() {
    return part == null ? null : part.host;
  }

  private GridException portable(Throwable thrown) {
    Throwable cause = Causes.of(thrown);
    return cause instanceof GridException known
        ? known
        : new GridException(
            Status.PASS_FAILED,
            "worker " + part().participant.worker() + " failed: " + cause,
            cause);
  }
}
