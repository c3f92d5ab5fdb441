package io.hazelgrad.autograd;

import io.hazelgrad.autograd.jet.GradientMessage;
import io.hazelgrad.autograd.jet.PassId;
import io.hazelgrad.autograd.jet.PassParticipant;
import io.hazelgrad.autograd.jet.PassSpec;
import io.hazelgrad.autograd.plan.Decisions;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The passes that this worker takes part in, and what it knows of their decisions. A pass is staged
 * here from its start until it is decided; the decision comes with any later message of its context.
 *
 * <p>Threads: safe.
 */
final class Passes implements PassParticipant {
  private final String worker;
  private final Contexts contexts;
  private final Executor executor;
  private final Map<PassKey, PassRun> runs = new HashMap<>();
  private final Map<Long, Decisions> decisions = new HashMap<>();

  Passes(String worker, Contexts contexts, Executor executor) {
    this.worker = worker;
    this.contexts = contexts;
    this.executor = executor;
  }

  @Override
  public String worker() {
    return worker;
  }

  @Override
  public Executor executor() {
    return executor;
  }

  @Override
  public void start(PassSpec spec) {
    PassKey key = PassKey.of(spec.pass());
    learn(key.initiator(), spec.decisions());
    ContextId id = new ContextId(spec.contextOriginator(), spec.contextSequence());
    ContextState context = contexts.get(id);
    if (context == null) {
      throw new GridException(
          Status.CONTEXT_CLOSED, id + " is not known to worker " + worker + ", or was closed");
    }
    synchronized (this) {
      PassRun earlier = runs.get(key);
      if (earlier != null && earlier.id().equals(spec.pass())) {
        return; // The initiator has begun it already, with the roots.
      }
    }
    context.addInitiator(key.initiator());
    stage(new PassRun(spec.pass(), context, spec.retainGraph(), spec.part(), null));
  }

  /** Adds an attempt; an earlier one of the same pass is over. */
  void stage(PassRun run) {
    PassRun earlier;
    synchronized (this) {
      earlier = runs.put(PassKey.of(run.id()), run);
    }
    if (earlier != null) {
      earlier.abort();
    }
  }

  @Override
  public void deliver(PassId pass, GradientMessage message) {
    run(pass).deliver(message);
  }

  @Override
  public List<GradientMessage> advance(PassId pass, int wave) {
    return run(pass).advance(wave);
  }

  private synchronized PassRun run(PassId pass) {
    PassRun run = runs.get(PassKey.of(pass));
    if (run == null || !run.id().equals(pass)) {
      throw new GridException(
          Status.PASS_FAILED, "pass " + pass + " is over on worker " + worker);
    }
    return run;
  }

  @Override
  public void end(PassId pass, @Nullable Throwable failure) {
    if (failure != null) {
      drop(pass);
    }
  }

  /** Drops an attempt, if it is still the one that is staged. */
  void drop(PassId pass) {
    PassRun run;
    synchronized (this) {
      run = runs.get(PassKey.of(pass));
      if (run == null || !run.id().equals(pass)) {
        return;
      }
      runs.remove(PassKey.of(pass));
    }
    run.abort();
  }

  /** Returns what is known of an initiator's decisions. */
  synchronized Decisions decisions(long initiator) {
    return decisions.getOrDefault(initiator, Decisions.NONE);
  }

  /** Learns decisions, and does what they say with the passes that are staged here. */
  void learn(long initiator, Decisions learned) {
    List<PassRun> committed = new ArrayList<>();
    List<PassRun> aborted = new ArrayList<>();
    synchronized (this) {
      Decisions before = decisions(initiator);
      Decisions merged = before.merge(learned);
      if (merged.equals(before)) {
        return;
      }
      decisions.put(initiator, merged);
      runs.values().stream()
          .filter(run -> run.id().initiator() == initiator)
          .sorted(Comparator.comparingLong(run -> run.id().sequence()))
          .forEach(
              run -> {
                if (merged.isCommitted(run.id().sequence())) {
                  committed.add(run);
                } else if (merged.isAborted(run.id().sequence())) {
                  aborted.add(run);
                }
              });
      committed.forEach(run -> runs.remove(PassKey.of(run.id())));
      aborted.forEach(run -> runs.remove(PassKey.of(run.id())));
      // Within the lock: whoever has learned of a decision must see the gradients it brought.
      committed.forEach(PassRun::commit);
    }
    aborted.forEach(PassRun::abort);
  }

  /** Drops what is staged of a context that was closed. */
  void dropContext(ContextId id) {
    drop(run -> run.context().id().equals(id));
  }

  /** Aborts what a lost initiator did not decide. */
  void dropInitiator(long initiator) {
    drop(run -> run.id().initiator() == initiator);
  }

  private void drop(java.util.function.Predicate<PassRun> which) {
    List<PassRun> dropped;
    synchronized (this) {
      dropped = runs.values().stream().filter(which).toList();
      dropped.forEach(run -> runs.remove(PassKey.of(run.id())));
    }
    dropped.forEach(PassRun::abort);
  }

  /** Returns the number of passes that are not decided here. */
  synchronized int count() {
    return runs.size();
  }
}
