package io.hazelgrad.autograd;

import io.hazelgrad.autograd.jet.Outcome;
import io.hazelgrad.autograd.jet.PassId;
import io.hazelgrad.autograd.jet.PassJob;
import io.hazelgrad.autograd.jet.PassSpec;
import io.hazelgrad.autograd.plan.Decisions;
import io.hazelgrad.autograd.plan.MessageId;
import io.hazelgrad.autograd.plan.Missing;
import io.hazelgrad.autograd.plan.Plan;
import io.hazelgrad.autograd.plan.Planner;
import io.hazelgrad.autograd.plan.Step;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs backward passes as their initiator: plans, runs the roots here, the rest as a Jet job, and
 * decides. The decision is one step in this worker's memory: {@link Passes#learn} with the pass
 * committed or aborted. The others hear of a commit with the next message of the context, and of an
 * abort at once. If this worker dies before it decided, or before anybody heard, the pass is
 * aborted.
 */
final class PassRunner {
  /** Members that come and go can hit a pass again and again; its deadline ends that. */
  private static final Duration NO_DEADLINE = Duration.ofDays(365);

  private static final long MOST_PAUSE_NANOS = 50_000_000;

  private final GridContext grid;
  private final Passes passes;
  private final ContextMessages messages;
  private final AtomicLong sequence = new AtomicLong();

  PassRunner(GridContext grid, Passes passes, ContextMessages messages) {
    this.grid = grid;
    this.passes = passes;
    this.messages = messages;
  }

  void run(ContextState state, boolean retainGraph, Roots roots) {
    Duration given = grid.callTimeout();
    boolean none = given.isZero() || given.compareTo(NO_DEADLINE) > 0;
    long deadline = System.nanoTime() + (none ? NO_DEADLINE : given).toNanos();
    Plan plan = plan(state, roots, deadline);
    Map<Long, Worker> workers = workers(state, plan);
    tellEarlierDecisions(state, workers);
    long self = grid.self().id();
    state.addInitiator(self);
    long number = sequence.incrementAndGet(); // From here on it must be decided.
    try {
      for (int attempt = 0; ; attempt++) {
        PassId id = new PassId(self, number, attempt);
        PassRun run = new PassRun(id, state, retainGraph, plan.part(self), roots.node());
        passes.stage(run);
        start(run, roots);
        if (attempt(id, state, retainGraph, plan, workers, deadline)) {
          break;
        }
        requireAlive(workers);
        // The members may need a moment to agree on who is there.
        LockSupport.parkNanos(Math.min(MOST_PAUSE_NANOS, (attempt + 1) * 1_000_000L));
      }
    } catch (Throwable e) {
      decide(number, false);
      var unused = messages.decided(workers.values(), List.of(self));
      throw e;
    }
    decide(number, true);
  }

  private void start(PassRun run, Roots roots) {
    try {
      run.start(roots);
    } catch (GridException e) {
      throw passes.named(e);
    }
  }

  /**
   * Where other workers have run passes in the context, a participant may not have heard how they
   * were decided, and would find their nodes taken. This worker may know.
   */
  private void tellEarlierDecisions(ContextState state, Map<Long, Worker> workers) {
    List<Long> initiators =
        state.initiators().stream()
            .filter(id -> id != grid.self().id())
            .filter(id -> !passes.decisions(id).equals(Decisions.NONE))
            .toList();
    if (!initiators.isEmpty()) {
      grid.await(messages.decided(workers.values(), initiators));
    }
  }

  private synchronized void decide(long number, boolean commit) {
    long self = grid.self().id();
    Decisions before = passes.decisions(self);
    passes.learn(self, commit ? before.commit(number) : before.abort(number));
  }

  /** Returns true if the attempt went well, false if it is worth another one. */
  private boolean attempt(
      PassId id,
      ContextState state,
      boolean retainGraph,
      Plan plan,
      Map<Long, Worker> workers,
      long deadline) {
    if (plan.waves() == 0) {
      return true;
    }
    Map<Long, UUID> hosts = new HashMap<>();
    workers.forEach((worker, known) -> hosts.put(worker, known.incarnation()));
    Outcome outcome =
        grid.waiting(
            () ->
                PassJob.run(
                    grid.hazelcast(),
                    id,
                    plan,
                    hosts,
                    part ->
                        new PassSpec(
                            id,
                            state.id().originator(),
                            state.id().sequence(),
                            retainGraph,
                            passes.decisions(id.initiator()),
                            plan.waves(),
                            part),
                    left(deadline)));
    if (outcome instanceof Outcome.Failed failed) {
      throw failed.error();
    }
    if (outcome instanceof Outcome.MemberLost && System.nanoTime() - deadline > 0) {
      throw new GridException(
          Status.TIMEOUT,
          "members came and went until the deadline of pass " + id,
          true,
          null,
          null);
    }
    return outcome instanceof Outcome.Done;
  }

  private static Duration left(long deadline) {
    return Duration.ofNanos(Math.max(1, deadline - System.nanoTime()));
  }

  private Plan plan(ContextState state, Roots roots, long deadline) {
    List<MessageId> start =
        GraphWalk.received(roots.node().edges(), state.id()).stream()
            .map(RecvNode::message)
            .toList();
    while (true) {
      Step step;
      synchronized (state) {
        step = Planner.step(grid.self().id(), start, state.graph());
      }
      if (step instanceof Plan plan) {
        return plan;
      }
      messages.ask(state, ((Missing) step).messages(), left(deadline));
    }
  }

  private Map<Long, Worker> workers(ContextState state, Plan plan) {
    Map<Long, Worker> workers = new HashMap<>();
    for (long id : plan.participants()) {
      Worker worker = grid.byId(id);
      if (worker == null) {
        throw new GridException(
            Status.WORKER_LOST,
            "worker " + name(state, id) + " has part in the pass and has left the grid");
      }
      workers.put(id, worker);
    }
    return workers;
  }

  private String name(ContextState state, long id) {
    for (Worker peer : state.peers()) {
      if (peer.id() == id) {
        return peer.name();
      }
    }
    String name = grid.nameOf(id);
    return name == null ? "with id " + id : name;
  }

  private void requireAlive(Map<Long, Worker> workers) {
    for (Worker worker : workers.values()) {
      if (grid.byId(worker.id()) == null) {
        throw new GridException(
            Status.WORKER_LOST,
            "worker "
                + worker.name()
                + " was lost during the backward pass; no worker keeps"
                + " anything of it",
            true,
            null,
            null);
      }
    }
  }
}
