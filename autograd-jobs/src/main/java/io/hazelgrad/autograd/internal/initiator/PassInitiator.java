package io.hazelgrad.autograd.internal.initiator;

import io.hazelgrad.autograd.PassOptions;
import io.hazelgrad.autograd.internal.context.ContextMessages;
import io.hazelgrad.autograd.internal.context.ContextPeers;
import io.hazelgrad.autograd.internal.context.ContextState;
import io.hazelgrad.autograd.internal.history.PassLog;
import io.hazelgrad.autograd.internal.history.PassLogEntry;
import io.hazelgrad.autograd.internal.participant.DecisionMessages;
import io.hazelgrad.autograd.internal.participant.PassTable;
import io.hazelgrad.autograd.internal.pass.AttemptOutcome;
import io.hazelgrad.autograd.internal.pass.PassId;
import io.hazelgrad.autograd.internal.pass.PassScheduler;
import io.hazelgrad.autograd.internal.pass.PassSpec;
import io.hazelgrad.autograd.internal.plan.MessageId;
import io.hazelgrad.autograd.internal.plan.PassDecisions;
import io.hazelgrad.autograd.internal.plan.Plan;
import io.hazelgrad.autograd.internal.plan.Planner;
import io.hazelgrad.autograd.internal.plan.PlanningStep;
import io.hazelgrad.autograd.internal.tape.GraphWalk;
import io.hazelgrad.autograd.internal.tape.PassRoots;
import io.hazelgrad.autograd.internal.tape.RecvNode;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs the backward passes that begin on this worker: plans, runs the roots, has a scheduler run
 * the rest, and decides. The decision is one step in this worker's memory: {@link PassTable#learn}
 * with the pass committed or aborted. Other workers learn of a commit with the next message of the
 * context, and of an abort at once. If this worker dies before it decides, or before any worker
 * learns of the commit, the pass is aborted. Threads: safe.
 */
public final class PassInitiator {
  private static final long MAX_PAUSE_NANOS = 50_000_000;

  private final GridContext grid;
  private final ContextPeers peers;
  private final PassTable passes;
  private final DecisionMessages messages;
  private final ContextMessages contextMessages;
  private final PassScheduler scheduler;
  private final PassLog log;
  private final AtomicLong sequence = new AtomicLong();
  private final AbortNotices aborts = new AbortNotices();

  /** A planned pass, for all its attempts. */
  private record PlannedPass(
      ContextState state,
      PassOptions options,
      Plan plan,
      Map<Long, Worker> workers,
      PassDeadline deadline,
      PassLogEntry logged) {}

  /** The time at which a pass must have ended. */
  private record PassDeadline(long nanos) {
    /** The longest timeout. Without any, members that come and go could repeat a pass forever. */
    private static final Duration LONGEST = Duration.ofDays(365);

    /** Creates the deadline that is {@code timeout} from now; zero means none. */
    static PassDeadline in(Duration timeout) {
      boolean none = timeout.isZero() || timeout.compareTo(LONGEST) > 0;
      return new PassDeadline(System.nanoTime() + (none ? LONGEST : timeout).toNanos());
    }

    boolean isOver() {
      return System.nanoTime() - nanos > 0;
    }

    /** Returns the time left, at least 1 ns. */
    Duration left() {
      return Duration.ofNanos(Math.max(1, nanos - System.nanoTime()));
    }
  }

  public PassInitiator(
      GridContext grid,
      ContextPeers peers,
      PassTable passes,
      ContextMessages contextMessages,
      DecisionMessages messages,
      PassScheduler scheduler,
      PassLog log) {
    this.grid = grid;
    this.peers = peers;
    this.passes = passes;
    this.messages = messages;
    this.contextMessages = contextMessages;
    this.scheduler = scheduler;
    this.log = log;
    peers.serve(DecisionMessages.NEXT, arguments -> sequence.get() + 1);
  }

  public Plan plan(ContextState state, PassRoots roots) {
    return plan(state, roots, PassDeadline.in(grid.callTimeout()));
  }

  /** Plans with the names of the workers; asks other workers for unknown parts of the graph. */
  private Plan plan(ContextState state, PassRoots roots, PassDeadline deadline) {
    List<MessageId> start =
        GraphWalk.received(roots.node().edges(), state.id()).stream()
            .map(RecvNode::message)
            .toList();
    while (true) {
      PlanningStep step;
      synchronized (state) {
        step = Planner.step(grid.self().id(), start, state.graph());
      }
      if (step instanceof Plan plan) {
        Map<Long, String> names = new HashMap<>();
        state.peers().forEach(peer -> names.put(peer.id(), peer.name()));
        plan.participants().forEach(id -> names.computeIfAbsent(id, grid.directory()::nameOf));
        names.put(grid.self().id(), grid.self().name());
        return plan.withNames(names);
      }
      contextMessages.ask(state, ((PlanningStep.Missing) step).messages(), deadline.left());
    }
  }

  /** Returns the workers and clients of a plan; WORKER_LOST if one has left. */
  private Map<Long, Worker> workers(Plan plan) {
    Map<Long, Worker> workers = new HashMap<>();
    for (long id : plan.participants()) {
      Worker worker = peers.find(id);
      if (worker == null) {
        throw new GridException(
            Status.WORKER_LOST,
            "worker " + plan.name(id) + " takes part in the pass and has left the grid");
      }
      workers.put(id, worker);
    }
    return workers;
  }

  public void run(ContextState state, PassOptions options, PassRoots roots) {
    PassLogEntry logged = log.begin(state.id());
    try {
      run(state, options, roots, logged);
    } catch (Throwable e) {
      log.end(logged, e);
      throw e;
    }
  }

  private void run(ContextState state, PassOptions options, PassRoots roots, PassLogEntry logged) {
    Duration timeout = options.deadline();
    PassDeadline deadline = PassDeadline.in(timeout == null ? grid.callTimeout() : timeout);
    Plan plan = plan(state, roots, deadline);
    logged.planned(plan);
    Map<Long, Worker> workers = workers(plan);
    PlannedPass pass = new PlannedPass(state, options, plan, workers, deadline, logged);
    tellEarlierDecisions(state, workers);
    long self = grid.self().id();
    state.addInitiator(self);
    long number = sequence.incrementAndGet(); // From here on the pass must be decided.
    try {
      attemptUntilDone(self, number, pass, roots);
      if (state.id().originator() != self && workers.size() > 1) {
        messages.commit(state.id(), number, passes.decisions(self).commit(number));
      }
    } catch (Throwable e) {
      var unused = decide(number, false);
      aborts.add(number, workers.keySet().stream().filter(id -> id != self).toList());
      tellAborts(workers.values());
      throw e;
    }
    List<Runnable> hooks = decide(number, true);
    log.end(logged, null);
    forgetAborts();
    hooks.forEach(Runnable::run);
  }

  private void attemptUntilDone(long self, long number, PlannedPass pass, PassRoots roots) {
    for (int attempt = 0; ; attempt++) {
      PassId id = new PassId(self, number, attempt);
      pass.logged.attempt(id, List.of());
      passes.begin(id, pass.state, pass.options.retainGraph(), pass.plan.part(self), roots);
      if (attempt(id, pass)) {
        return;
      }
      requireAlive(pass.workers);
      // The members may need a moment to agree on their membership.
      LockSupport.parkNanos(Math.min(MAX_PAUSE_NANOS, (attempt + 1) * 1_000_000L));
    }
  }

  /** Tells aborts to the participants that were not told yet, and drops the settled ones. */
  public void sweep() {
    if (aborts.isEmpty()) {
      return;
    }
    Map<Long, Worker> living = grid.directory().livingAndClients();
    aborts.retain(living.keySet());
    Set<Long> untold = aborts.workers();
    tellAborts(living.values().stream().filter(each -> untold.contains(each.id())).toList());
  }

  private void tellAborts(Collection<Worker> workers) {
    Set<Long> told = aborts.passes(); // Before the message is made, so that it holds all of them.
    var unused =
        messages
            .tell(workers, List.of(grid.self().id()))
            .thenAccept(
                reached -> {
                  aborts.told(told, reached);
                  forgetAborts();
                });
  }

  private synchronized void forgetAborts() {
    if (!aborts.isEmpty()) {
      long self = grid.self().id();
      PassDecisions before = passes.decisions(self);
      passes.learn(self, before.forget(aborts.settled(before.floor())));
    }
  }

  /** Tells participants decisions of others, without which they would find nodes reserved. */
  private void tellEarlierDecisions(ContextState state, Map<Long, Worker> workers) {
    List<Long> initiators =
        state.initiators().stream()
            .filter(id -> id != grid.self().id())
            .filter(id -> !passes.decisions(id).equals(PassDecisions.NONE))
            .toList();
    if (!initiators.isEmpty()) {
      grid.await(messages.tell(workers.values(), initiators));
    }
  }

  /** Decides a pass; returns the hooks to run. */
  private synchronized List<Runnable> decide(long number, boolean commit) {
    long self = grid.self().id();
    PassDecisions before = passes.decisions(self);
    return passes.learnWithoutHooks(self, commit ? before.commit(number) : before.abort(number));
  }

  /** Returns true if the attempt is done, false if a member was lost and another may succeed. */
  private boolean attempt(PassId id, PlannedPass pass) {
    if (pass.plan.waves() == 0) {
      return true;
    }
    Map<Long, UUID> hosts = hosts(pass.workers.values(), pass.deadline);
    pass.logged.attempt(id, hosts.values());
    AttemptOutcome outcome = schedule(id, pass, hosts);
    if (outcome instanceof AttemptOutcome.MemberLost && pass.deadline.isOver()) {
      outcome =
          AttemptOutcome.failed(
              Status.TIMEOUT, "members came and went until the deadline of pass " + id, null);
    }
    if (outcome instanceof AttemptOutcome.Failed failed) {
      throw failed.error();
    }
    return outcome instanceof AttemptOutcome.Done;
  }

  private AttemptOutcome schedule(PassId id, PlannedPass pass, Map<Long, UUID> hosts) {
    if (!hosts.keySet().containsAll(pass.plan.participants())) {
      return new AttemptOutcome.MemberLost("no worker relays for a client of the pass");
    }
    PassSpec spec =
        new PassSpec(
            id,
            pass.state.id(),
            pass.options.retainGraph(),
            passes.decisions(id.initiator()),
            pass.plan.waves(),
            Map.of());
    return scheduler.run(pass.options.job(), spec, pass.plan, hosts, pass.deadline.left());
  }

  /** Returns the members that act for workers and clients; a client may have none now. */
  private Map<Long, UUID> hosts(Collection<Worker> all, PassDeadline deadline) {
    Map<Long, UUID> hosts = new HashMap<>();
    for (Worker each : all) {
      UUID host = peers.host(each, deadline.left());
      if (host != null) {
        hosts.put(each.id(), host);
      }
    }
    return hosts;
  }

  private void requireAlive(Map<Long, Worker> workers) {
    for (Worker worker : workers.values()) {
      if (!peers.isLiving(worker)) {
        String kind = grid.directory().nameOf(worker.id()) == null ? "client" : "worker";
        throw new GridException(
            Status.WORKER_LOST,
            "%s %s was lost during the backward pass; no worker keeps anything of it"
                .formatted(kind, worker.name()),
            true,
            null,
            null);
      }
    }
  }
}
