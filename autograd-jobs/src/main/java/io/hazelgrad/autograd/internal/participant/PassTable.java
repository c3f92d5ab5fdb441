package io.hazelgrad.autograd.internal.participant;

import io.hazelgrad.autograd.ContextId;
import io.hazelgrad.autograd.internal.context.ContextState;
import io.hazelgrad.autograd.internal.context.Contexts;
import io.hazelgrad.autograd.internal.context.DecisionTable;
import io.hazelgrad.autograd.internal.pass.GradientMessage;
import io.hazelgrad.autograd.internal.pass.PassId;
import io.hazelgrad.autograd.internal.pass.PassSpec;
import io.hazelgrad.autograd.internal.plan.PassDecisions;
import io.hazelgrad.autograd.internal.plan.PassKey;
import io.hazelgrad.autograd.internal.plan.PlanPart;
import io.hazelgrad.autograd.internal.tape.PassRoots;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.LimitedMap;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The passes that this worker takes part in, and the decisions that it knows. A pass is staged here
 * from its start until its decision arrives with any later message of its context.
 *
 * <p>Threads: safe. The two maps are guarded by this, and only briefly, because Jet's threads call
 * here. An attempt reserves its nodes in the step that stages it, and releases them in the step
 * that drops it. So the nodes of a dropped pass are free, and a late start reserves none. Decisions
 * are learned under a lock of their own: a decision is visible only after its gradients are.
 */
public final class PassTable implements DecisionTable {
  private static final Logger LOG = LoggerFactory.getLogger(PassTable.class);
  private static final int MAX_CLOSED = 1_000;

  /** No pass can be committed. */
  private static final long NONE = Long.MAX_VALUE;

  /** Nor here, but the initiator was asked since it was closed. */
  private static final long ASKED = NONE - 1;

  private final String worker;
  private final Contexts contexts;
  private final Executor executor;
  private final Object learning = new Object();
  private final Map<PassKey, LocalAttempt> staged = new HashMap<>();
  private final Map<Long, PassDecisions> decisions = new HashMap<>();

  /**
   * The number from which passes of an initiator that was lost can be committed: {@link #NONE}, but
   * if it turned out to live, the first that it began since then. Guarded by {@code learning}.
   */
  private final Map<Long, Long> closed = new LimitedMap<>(MAX_CLOSED);

  public PassTable(String worker, Contexts contexts, Executor executor) {
    this.worker = worker;
    this.contexts = contexts;
    this.executor = executor;
  }

  String worker() {
    return worker;
  }

  /** Stages an attempt of this worker as its initiator, and runs the roots. */
  public void begin(
      PassId pass, ContextState context, boolean retainGraph, PlanPart part, PassRoots roots) {
    LocalAttempt attempt = new LocalAttempt(pass, context, retainGraph, part, roots.node());
    stage(attempt);
    try {
      attempt.start(roots);
    } catch (GridException e) {
      throw named(e);
    }
  }

  /**
   * Stages an attempt of another initiator, unless it is staged already. The message of an error
   * names this worker, as in the next two methods.
   */
  void start(PassSpec spec) {
    PassKey key = spec.pass().key();
    try {
      learn(key.initiator(), spec.decisions());
      ContextState context = contexts.get(spec.context());
      if (context == null) {
        throw new GridException(
            Status.CONTEXT_CLOSED, spec.context() + " is not known here, or was closed");
      }
      synchronized (this) {
        LocalAttempt earlier = staged.get(key);
        if (earlier != null && earlier.id().equals(spec.pass())) {
          return; // A relayed client gets the spec with each wave.
        }
      }
      context.addInitiator(key.initiator());
      stage(new LocalAttempt(spec.pass(), context, spec.retainGraph(), spec.part(), null));
    } catch (GridException e) {
      throw named(e);
    }
  }

  /** Adds an attempt and reserves its nodes; an earlier attempt at the same pass is aborted. */
  void stage(LocalAttempt attempt) {
    PassId id = attempt.id();
    synchronized (this) {
      LocalAttempt other = staged.get(id.key());
      if (decisions(id.initiator()).isDecided(id.sequence())
          || (other != null && other.id().attempt() >= id.attempt())) {
        throw id.over();
      }
      attempt.reserve();
      staged.put(id.key(), attempt);
      if (other != null) {
        other.abort();
      }
    }
    if (!attempt.context().isOpen()) { // Closed before dropContext() could find the attempt.
      drop(id);
      throw ContextState.closed(attempt.context().id());
    }
  }

  /** Takes gradients at a send node, on one of Jet's threads; short. */
  void deliver(PassId pass, GradientMessage message) {
    try {
      attempt(pass).deliver(message);
    } catch (GridException e) {
      throw named(e);
    }
  }

  /** Runs the local graph; returns the gradients that leave in the wave after {@code wave}. */
  public List<GradientMessage> advance(PassId pass, int wave) {
    try {
      return attempt(pass).advance(wave);
    } catch (GridException e) {
      throw named(e);
    }
  }

  /** Says on which worker something failed: the initiator hears of it far away. */
  GridException named(GridException e) {
    String message = "worker " + worker + ": " + e.getMessage();
    GridException named = new GridException(e.status(), message, e.mayHaveRun(), e.remote(), null);
    named.setStackTrace(e.getStackTrace());
    return named;
  }

  private synchronized LocalAttempt attempt(PassId pass) {
    LocalAttempt attempt = staged.get(pass.key());
    if (attempt == null || !attempt.id().equals(pass)) {
      throw pass.over();
    }
    return attempt;
  }

  /** Ends an attempt; a failed one is dropped, a completed one waits for its decision. */
  public void end(PassId pass, @Nullable Throwable failure) {
    if (failure != null) {
      drop(pass);
    }
  }

  /** Drops an attempt, if it is still the one that is staged. */
  private void drop(PassId pass) {
    drop(attempt -> attempt.id().equals(pass));
  }

  @Override
  public synchronized PassDecisions decisions(long initiator) {
    return decisions.getOrDefault(initiator, PassDecisions.NONE);
  }

  @Override
  public void learn(long initiator, PassDecisions learned) {
    List<Runnable> hooks = learnWithoutHooks(initiator, learned);
    if (!hooks.isEmpty()) {
      try {
        executor.execute(() -> hooks.forEach(Runnable::run));
      } catch (RejectedExecutionException e) {
        LOG.debug("the grid is closing, so hooks after the accumulation are not run", e);
      }
    }
  }

  /** As {@link #learn}, but returns the hooks, which the caller runs without locks. */
  public List<Runnable> learnWithoutHooks(long initiator, PassDecisions learned) {
    List<Runnable> hooks = new ArrayList<>();
    if (knows(initiator, learned)) {
      return hooks;
    }
    synchronized (learning) {
      PassDecisions merged = decisions(initiator).merge(learned);
      remove(attempt -> isOf(attempt, initiator) && merged.isCommitted(attempt.id().sequence()))
          .stream()
          .sorted(Comparator.comparingLong(attempt -> attempt.id().sequence()))
          .forEach(attempt -> hooks.addAll(attempt.commit()));
      // After the commits, so that a visible decision implies visible gradients.
      synchronized (this) {
        decisions.put(initiator, merged);
        drop(attempt -> isOf(attempt, initiator) && merged.isDecided(attempt.id().sequence()));
      }
    }
    return hooks;
  }

  private synchronized boolean knows(long initiator, PassDecisions learned) {
    PassDecisions known = decisions(initiator);
    return known.merge(learned).equals(known);
  }

  private static boolean isOf(LocalAttempt attempt, long initiator) {
    return attempt.id().initiator() == initiator;
  }

  @Override
  public void dropContext(ContextId id) {
    drop(attempt -> attempt.context().id().equals(id));
  }

  /**
   * Aborts the undecided passes of a lost initiator in contexts that were opened here or by itself.
   * It may have committed passes in other contexts. Returns their originators, which know.
   */
  public Set<Long> lost(long initiator) {
    var unused = close(initiator);
    drop(
        attempt -> {
          ContextId context = attempt.context().id();
          return isOf(attempt, initiator)
              && (contexts.isOwn(context) || context.originator() == initiator);
        });
    synchronized (this) {
      return staged.values().stream()
          .filter(attempt -> isOf(attempt, initiator))
          .map(attempt -> attempt.context().id().originator())
          .collect(Collectors.toSet());
    }
  }

  /** Commits the passes of a lost initiator that the originator names, and aborts the others. */
  public void settle(long initiator, long originator, PassDecisions learned) {
    learn(initiator, learned);
    drop(attempt -> isOf(attempt, initiator) && attempt.context().id().originator() == originator);
  }

  /** Refuses later commits of an initiator in contexts of this worker; returns its decisions. */
  public PassDecisions close(long initiator) {
    synchronized (learning) {
      closed.put(initiator, NONE);
      return decisions(initiator);
    }
  }

  /** Returns the initiators whose commits are all refused, which are to be asked now. */
  Set<Long> closed() {
    synchronized (learning) {
      closed.replaceAll((initiator, first) -> Math.min(first, ASKED));
      return closed.entrySet().stream()
          .filter(each -> each.getValue() == ASKED)
          .map(Map.Entry::getKey)
          .collect(Collectors.toSet());
    }
  }

  /**
   * Accepts commits of an initiator that lives after all, of passes from a number on. Does nothing
   * if it was closed again since {@link #closed}: its answer may be older.
   */
  void reopen(long initiator, long first) {
    synchronized (learning) {
      var unused = closed.replace(initiator, ASKED, first);
    }
  }

  /**
   * Commits a pass of another worker in a context that was opened here; PASS_FAILED if the worker
   * counts as lost, or did when it began the pass, because its passes were aborted.
   */
  public void commit(long initiator, long number, PassDecisions committed) {
    synchronized (learning) {
      if (number < closed.getOrDefault(initiator, 0L)) {
        throw new GridException(
            Status.PASS_FAILED, "worker " + initiator + " was taken for lost by " + worker);
      }
      learn(initiator, committed);
    }
  }

  /** Returns the initiators with passes or decisions here. */
  public synchronized Set<Long> initiators() {
    return Stream.concat(
            decisions.keySet().stream(), staged.keySet().stream().map(PassKey::initiator))
        .collect(Collectors.toSet());
  }

  /** Forgets the decisions of a lost initiator. */
  public synchronized void forget(long initiator) {
    decisions.remove(initiator);
  }

  private synchronized void drop(Predicate<LocalAttempt> which) {
    remove(which).forEach(LocalAttempt::abort);
  }

  private synchronized List<LocalAttempt> remove(Predicate<LocalAttempt> which) {
    List<LocalAttempt> removed = staged.values().stream().filter(which).toList();
    removed.forEach(attempt -> staged.remove(attempt.id().key()));
    return removed;
  }

  public synchronized int count() {
    return staged.size();
  }
}
