package io.hazelgrad.autograd.internal.pass;

import io.hazelgrad.autograd.ContextId;
import io.hazelgrad.autograd.internal.context.ContextState;
import io.hazelgrad.autograd.internal.context.Contexts;
import io.hazelgrad.autograd.internal.plan.PassDecisions;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The passes that this worker takes part in, and what it knows of their decisions. A pass is staged
 * here from its start until it is decided; the decision comes with any later message of its
 * context.
 *
 * <p>Threads: safe. The two maps are guarded by this, and never for long, as Jet's threads ask
 * here. An attempt takes its nodes in the same step that stages it, and gives them back in the same
 * step that drops it: whoever finds a pass over finds its nodes free, and a start that comes too
 * late takes none, not even for a moment. A decision is learned under a lock of its own: it can be
 * seen only when all that it brings is done.
 */
public final class PassTable {
  private static final Logger LOG = LoggerFactory.getLogger(PassTable.class);

  private final String worker;
  private final Contexts contexts;
  private final Executor executor;
  private final Object learning = new Object();
  private final Map<PassKey, LocalAttempt> runs = new HashMap<>();
  private final Map<Long, PassDecisions> decisions = new HashMap<>();

  /** Lost initiators, of whose passes nothing is committed any more. */
  private final Set<Long> closed = new HashSet<>();

  public PassTable(String worker, Contexts contexts, Executor executor) {
    this.worker = worker;
    this.contexts = contexts;
    this.executor = executor;
  }

  String worker() {
    return worker;
  }

  /**
   * See {@link io.hazelgrad.autograd.internal.pass.PassParticipant}, as the next ones; of one
   * worker.
   */
  public void start(PassSpec spec) {
    try {
      startHere(spec);
    } catch (GridException e) {
      throw named(e);
    }
  }

  private void startHere(PassSpec spec) {
    PassKey key = PassKey.of(spec.pass());
    learn(key.initiator(), spec.decisions());
    ContextId id = new ContextId(spec.contextOriginator(), spec.contextSequence());
    ContextState context = contexts.get(id);
    if (context == null) {
      throw new GridException(Status.CONTEXT_CLOSED, id + " is not known here, or was closed");
    }
    synchronized (this) {
      LocalAttempt earlier = runs.get(key);
      if (earlier != null && earlier.id().equals(spec.pass())) {
        return; // The initiator has begun it already, with the roots.
      }
    }
    context.addInitiator(key.initiator());
    stage(new LocalAttempt(spec.pass(), context, spec.retainGraph(), spec.part(), null));
  }

  /**
   * Adds an attempt and takes its nodes; an earlier one of the same pass is over.
   *
   * @throws GridException if this one is over already, or another pass has a node of it; then it is
   *     not staged
   */
  void stage(LocalAttempt run) {
    PassId id = run.id();
    synchronized (this) {
      LocalAttempt other = runs.get(PassKey.of(id));
      if (decisions(id.initiator()).isDecided(id.sequence())
          || (other != null && other.id().attempt() >= id.attempt())) {
        throw new GridException(Status.PASS_FAILED, "pass " + id + " is over");
      }
      run.take();
      runs.put(PassKey.of(id), run);
      if (other != null) {
        other.abort();
      }
    }
    if (!run.context().isOpen()) { // Closed before the attempt was there to be dropped.
      drop(id);
      throw ContextState.closed(run.context().id());
    }
  }

  public void deliver(PassId pass, GradientMessage message) {
    try {
      run(pass).deliver(message);
    } catch (GridException e) {
      throw named(e);
    }
  }

  public List<GradientMessage> advance(PassId pass, int wave) {
    try {
      return run(pass).advance(wave);
    } catch (GridException e) {
      throw named(e);
    }
  }

  /** Says on which worker something failed: the initiator hears of it far away. */
  GridException named(GridException e) {
    GridException named =
        new GridException(
            e.status(),
            "worker " + worker + ": " + e.getMessage(),
            e.mayHaveRun(),
            e.remote(),
            null);
    named.setStackTrace(e.getStackTrace());
    return named;
  }

  private synchronized LocalAttempt run(PassId pass) {
    LocalAttempt run = runs.get(PassKey.of(pass));
    if (run == null || !run.id().equals(pass)) {
      throw new GridException(Status.PASS_FAILED, "pass " + pass + " is over");
    }
    return run;
  }

  public void end(PassId pass, @Nullable Throwable failure) {
    if (failure != null) {
      drop(pass);
    }
  }

  /** Drops an attempt, if it is still the one that is staged. */
  synchronized void drop(PassId pass) {
    LocalAttempt run = runs.get(PassKey.of(pass));
    if (run != null && run.id().equals(pass)) {
      runs.remove(PassKey.of(pass));
      run.abort();
    }
  }

  /** Returns what is known of an initiator's decisions. */
  public synchronized PassDecisions decisions(long initiator) {
    return decisions.getOrDefault(initiator, PassDecisions.NONE);
  }

  /** Learns decisions, and does what they say with the passes that are staged here. */
  public void learn(long initiator, PassDecisions learned) {
    List<Runnable> telling = learnOnly(initiator, learned);
    if (!telling.isEmpty()) {
      try {
        executor.execute(() -> telling.forEach(Runnable::run));
      } catch (RejectedExecutionException e) {
        LOG.debug("the grid is closing, so hooks are not told of pass decisions", e);
      }
    }
  }

  /** As {@link #learn}; returns what hooks are to be told, for the caller to run without locks. */
  List<Runnable> learnOnly(long initiator, PassDecisions learned) {
    List<Runnable> telling = new ArrayList<>();
    if (knows(initiator, learned)) {
      return telling;
    }
    synchronized (learning) {
      PassDecisions merged = decisions(initiator).merge(learned);
      remove(run -> isOf(run, initiator) && merged.isCommitted(run.id().sequence())).stream()
          .sorted(Comparator.comparingLong(run -> run.id().sequence()))
          .forEach(run -> telling.addAll(run.commit()));
      // Only now: whoever sees a decision must see the gradients that it brought.
      synchronized (this) {
        decisions.put(initiator, merged);
        drop(run -> isOf(run, initiator) && merged.isDecided(run.id().sequence()));
      }
    }
    return telling;
  }

  private synchronized boolean knows(long initiator, PassDecisions learned) {
    PassDecisions known = decisions(initiator);
    return known.merge(learned).equals(known);
  }

  private static boolean isOf(LocalAttempt run, long initiator) {
    return run.id().initiator() == initiator;
  }

  /** Drops what is staged of a context that was closed. */
  public void dropContext(ContextId id) {
    drop(run -> run.context().id().equals(id));
  }

  /**
   * An initiator is lost. What it did not commit of contexts that were opened here, or by itself,
   * is aborted. Of others it may have: the originator knows, see {@link #settle}.
   *
   * @return the originators to ask
   */
  public Set<Long> lost(long initiator) {
    var unused = close(initiator);
    drop(
        run -> {
          ContextId context = run.context().id();
          return isOf(run, initiator)
              && (contexts.isOwn(context) || context.originator() == initiator);
        });
    synchronized (this) {
      Set<Long> originators = new HashSet<>();
      runs.values().stream()
          .filter(run -> isOf(run, initiator))
          .forEach(run -> originators.add(run.context().id().originator()));
      return originators;
    }
  }

  /** The originator has said what a lost initiator committed; the rest of its passes is aborted. */
  public void settle(long initiator, long originator, PassDecisions learned) {
    learn(initiator, learned);
    drop(run -> isOf(run, initiator) && run.context().id().originator() == originator);
  }

  /**
   * From now on nothing of an initiator is committed in contexts that were opened here.
   *
   * @return what it has decided
   */
  public PassDecisions close(long initiator) {
    synchronized (learning) {
      closed.add(initiator);
      return decisions(initiator);
    }
  }

  /**
   * Another worker commits a pass of a context that was opened here.
   *
   * @throws GridException PASS_FAILED if it counts as lost: its passes were aborted
   */
  public void commit(long initiator, PassDecisions committed) {
    synchronized (learning) {
      if (closed.contains(initiator)) {
        throw new GridException(
            Status.PASS_FAILED, "worker " + initiator + " was taken for lost by " + worker);
      }
      learn(initiator, committed);
    }
  }

  /** Returns the workers of which this one has passes or decisions. */
  public synchronized Set<Long> initiators() {
    Set<Long> initiators = new HashSet<>(decisions.keySet());
    runs.keySet().forEach(key -> initiators.add(key.initiator()));
    return initiators;
  }

  /** Forgets the decisions of a lost initiator. */
  public synchronized void forget(long initiator) {
    decisions.remove(initiator);
  }

  private synchronized void drop(Predicate<LocalAttempt> which) {
    remove(which).forEach(LocalAttempt::abort);
  }

  private synchronized List<LocalAttempt> remove(Predicate<LocalAttempt> which) {
    List<LocalAttempt> removed = runs.values().stream().filter(which).toList();
    removed.forEach(run -> runs.remove(PassKey.of(run.id())));
    return removed;
  }

  /** Returns the number of passes that are not decided here. */
  public synchronized int count() {
    return runs.size();
  }
}
