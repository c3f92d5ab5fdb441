package io.hazelgrad.autograd.internal.calls;

import io.hazelgrad.autograd.internal.pass.AttemptOutcome;
import io.hazelgrad.autograd.internal.pass.GradientMessage;
import io.hazelgrad.autograd.internal.pass.PassId;
import io.hazelgrad.autograd.internal.pass.PassParticipant;
import io.hazelgrad.autograd.internal.pass.PassSpec;
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
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One host's part in one attempt: does what {@link PassStateMachine} says, on the threads that
 * bring what the steps wait for.
 *
 * <p>States: letters may come while it is NEW, before the host was told of the attempt; they wait.
 * STARTING while the participant takes its nodes, RUNNING, then OVER, once, whether all was done or
 * something failed, here or elsewhere.
 *
 * <p><b>Races.</b> Who finds a state under the lock changes it there, and acts on it without the
 * lock. What ends the part while the participant starts leaves it to the starting thread to end the
 * participant. What an advancing participant still gives when the part is over is dropped.
 *
 * <p><b>Invariants.</b> Every letter is answered, with a failure at the latest when the part is
 * over. The participant is ended once if it was started. A part that is done may still fail, by a
 * letter that did not arrive.
 */
final class PassExecution {
  /** What the part does for others. */
  interface Host {
    /** Sends a letter. The future gives the answer; cancelling it tells the other host. */
    CompletableFuture<List<@Nullable Object>> send(
        int wave, long host, List<GradientMessage> messages);

    /** The part is done; whether the coordinator hears of it by an answer. */
    void done(boolean isTold);

    /** Another host, that coordinates none, has said in an answer that its part is done. */
    void heardDone(long host);

    /**
     * The part has failed, here or where a letter went.
     *
     * @param told the hosts that hear of it by the end of their letters
     */
    void failed(AttemptOutcome outcome, Set<Long> told);
  }

  private enum State {
    NEW,
    STARTING,
    RUNNING,
    OVER
  }

  /** A letter that came from a host, or went to it. There is one in a wave. */
  private record LetterId(int wave, long host) {}

  /** A letter that came before the host was told of the attempt. */
  private record Early(int wave, long host, List<GradientMessage> messages) {}

  private final PassId pass;
  private final Consumer<PassExecution> onOver;

  // Guarded by this, all that follow.
  private State state = State.NEW;
  private final List<Early> early = new ArrayList<>();
  private final Map<LetterId, CompletableFuture<List<@Nullable Object>>> asked = new HashMap<>();
  private final Map<LetterId, CompletableFuture<?>> sent = new HashMap<>();
  private @Nullable Throwable failure;
  private @Nullable Part part;

  /** What is known once the host was told. */
  private record Part(
      PassParticipant participant, PassSpec spec, PassStateMachine steps, Host host) {}

  PassExecution(PassId pass, Consumer<PassExecution> onOver) {
    this.pass = pass;
    this.onOver = onOver;
  }

  /** Starts the participant; then goes on with what came before. */
  void start(PassParticipant participant, PassSpec spec, PassStateMachine steps, Host host) {
    Part started = new Part(participant, spec, steps, host);
    synchronized (this) {
      if (state != State.NEW) {
        throw over();
      }
      state = State.STARTING;
      part = started;
    }
    GridException thrown = null;
    try {
      participant.start(spec);
    } catch (RuntimeException | Error e) {
      thrown = portable(participant, e);
    }
    Throwable ended;
    synchronized (this) {
      ended = failure;
      if (ended == null && thrown == null) {
        state = State.RUNNING;
      }
    }
    if (ended != null) { // Meanwhile, by another thread.
      participant.end(pass, ended);
    } else if (thrown != null) {
      participant.end(pass, thrown);
      fail(new AttemptOutcome.Failed(thrown));
    } else {
      perform(() -> steps.start());
      early()
          .forEach(each -> perform(() -> steps.arrived(each.wave, each.host, each.messages, true)));
    }
  }

  private synchronized List<Early> early() {
    List<Early> came = List.copyOf(early);
    early.clear();
    return came;
  }

  /** A letter has come; the future is its answer. */
  CompletableFuture<List<@Nullable Object>> letter(
      int wave, long host, List<GradientMessage> messages) {
    CompletableFuture<List<@Nullable Object>> answer = new CompletableFuture<>();
    Part running;
    synchronized (this) {
      if (state == State.OVER) {
        throw over();
      }
      if (asked.putIfAbsent(new LetterId(wave, host), answer) != null) {
        throw new GridException(
            Status.INTERNAL, "two letters of host " + host + " for wave " + wave + " of " + pass);
      }
      if (state != State.RUNNING) {
        early.add(new Early(wave, host, messages));
      }
      running = state == State.RUNNING ? part : null;
    }
    if (running != null) {
      perform(() -> running.steps.arrived(wave, host, messages, true));
    }
    return answer;
  }

  private void answered(int wave, long host, @Nullable Object values) {
    try {
      GradientBatchReply answer = GradientBatchReply.read(values);
      if (answer.lost() != null) {
        fail(new AttemptOutcome.MemberLost(answer.lost()));
        return;
      }
      if (!answer.messages().isEmpty()) {
        perform(() -> part().steps.arrived(wave + 1, host, answer.messages(), false));
      }
      if (answer.isLast()) {
        part().host.heardDone(host);
      }
    } catch (RuntimeException | Error e) {
      fail(new AttemptOutcome.Failed(portable(part().participant, e)));
    }
  }

  private Part part() {
    return Objects.requireNonNull(part);
  }

  /** Does what there is to do, and what follows from it as far as nothing is to be waited for. */
  private void perform(Supplier<List<PassStateMachine.Step>> first) {
    Deque<PassStateMachine.Step> steps = new ArrayDeque<>();
    if (!add(steps, first)) {
      return;
    }
    for (PassStateMachine.Step next = steps.poll(); next != null; next = steps.poll()) {
      if (next instanceof PassStateMachine.Advance advance) {
        CompletableFuture<List<GradientMessage>> made = advance(advance);
        if (!made.isDone()) {
          var unused = made.whenComplete((messages, e) -> perform(() -> advanced(made)));
        } else if (!add(steps, () -> advanced(made))) {
          return;
        }
      } else if (next instanceof PassStateMachine.Answer answer) {
        answer(answer);
      } else if (next instanceof PassStateMachine.Send send) {
        send(send.wave(), send.host(), send.messages());
      } else if (next instanceof PassStateMachine.Done done) {
        done(done);
      }
    }
  }

  /** Takes a step under the lock; false if the part is over, then or by it. */
  private boolean add(
      Deque<PassStateMachine.Step> steps, Supplier<List<PassStateMachine.Step>> step) {
    try {
      synchronized (this) {
        if (state != State.RUNNING) {
          return false;
        }
        steps.addAll(step.get());
      }
      return true;
    } catch (RuntimeException | Error e) {
      fail(new AttemptOutcome.Failed(portable(part().participant, e)));
      return false;
    }
  }

  private List<PassStateMachine.Step> advanced(CompletableFuture<List<GradientMessage>> made) {
    try {
      return part().steps.advanced(made.get());
    } catch (ExecutionException e) {
      throw portable(part().participant, e.getCause() == null ? e : e.getCause());
    } catch (InterruptedException e) {
      throw new IllegalStateException("it is complete", e);
    }
  }

  private CompletableFuture<List<GradientMessage>> advance(PassStateMachine.Advance advance) {
    PassParticipant participant = part().participant;
    try {
      for (GradientMessage each : advance.taken()) {
        participant.deliver(pass, each);
      }
      CompletionStage<List<GradientMessage>> made = participant.advance(pass, advance.wave());
      return made.toCompletableFuture();
    } catch (RuntimeException | Error e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void answer(PassStateMachine.Answer answer) {
    CompletableFuture<List<@Nullable Object>> open;
    synchronized (this) {
      open = asked.remove(new LetterId(answer.wave(), answer.host()));
    }
    if (open != null) {
      open.complete(new GradientBatchReply(null, answer.isLast(), answer.messages()).write());
    }
  }

  /** Sends a letter; its answer goes on with the steps. */
  void send(int wave, long host, List<GradientMessage> messages) {
    CompletableFuture<List<@Nullable Object>> answer;
    try {
      answer = part().host.send(wave, host, messages);
    } catch (RuntimeException e) {
      answer = CompletableFuture.failedFuture(e);
    }
    CompletableFuture<List<@Nullable Object>> open = answer;
    LetterId id = new LetterId(wave, host);
    synchronized (this) {
      if (state == State.OVER && failure != null) {
        open.cancel(true);
        return;
      }
      sent.put(id, open);
    }
    var unused =
        open.whenComplete(
            (values, thrown) -> {
              synchronized (this) {
                sent.remove(id);
              }
              if (thrown == null) {
                answered(wave, host, values);
              } else {
                fail(GradientBatchReply.outcomeOf(Causes.of(thrown)));
              }
            });
  }

  private void done(PassStateMachine.Done done) {
    Part ended = part();
    synchronized (this) {
      if (state == State.OVER) {
        return;
      }
      state = State.OVER;
    }
    onOver.accept(this);
    ended.participant.end(pass, null);
    ended.host.done(done.isTold());
  }

  /** Ends the part as failed, unless it has failed. */
  void fail(AttemptOutcome outcome) {
    fail(outcome, true);
  }

  /** As above; the coordinator knows it. */
  void stop() {
    fail(new AttemptOutcome.Failed(over()), false);
  }

  private void fail(AttemptOutcome outcome, boolean tells) {
    Throwable why = outcome instanceof AttemptOutcome.Failed f ? f.error() : over();
    State before;
    Part ended;
    Map<LetterId, CompletableFuture<List<@Nullable Object>>> open;
    List<CompletableFuture<?>> calls;
    synchronized (this) {
      if (failure != null) {
        return;
      }
      before = state;
      state = State.OVER;
      failure = why;
      ended = part;
      open = Map.copyOf(asked);
      asked.clear();
      calls = List.copyOf(sent.values());
      sent.clear();
    }
    onOver.accept(this);
    if (ended != null && before == State.RUNNING) {
      ended.participant.end(pass, why);
    }
    Set<Long> told = new HashSet<>();
    open.forEach(
        (letter, each) -> {
          told.add(letter.host);
          if (outcome instanceof AttemptOutcome.MemberLost lost) {
            each.complete(GradientBatchReply.lost(lost.cause()).write());
          } else {
            each.completeExceptionally(why);
          }
        });
    calls.forEach(each -> each.cancel(true));
    if (ended != null && tells) {
      ended.host.failed(outcome, told);
    }
  }

  /** Ends the part if it was not begun and nobody waits for it any more. */
  void forget() {
    synchronized (this) {
      asked.values().removeIf(CompletableFuture::isDone);
      if (state != State.NEW || !asked.isEmpty()) {
        return;
      }
    }
    stop();
  }

  /** Returns what the part does for others, or null as long as it was not begun. */
  synchronized @Nullable Host host() {
    return part == null ? null : part.host;
  }

  private GridException over() {
    return new GridException(Status.PASS_FAILED, "pass " + pass + " is over");
  }

  private static GridException portable(PassParticipant participant, Throwable thrown) {
    Throwable cause = Causes.of(thrown);
    return cause instanceof GridException known
        ? known
        : new GridException(
            Status.PASS_FAILED, "worker " + participant.worker() + " failed: " + cause, cause);
  }
}
