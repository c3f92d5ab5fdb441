package io.hazelgrad.autograd.internal.pass;

import io.hazelgrad.autograd.AutogradOptions;
import io.hazelgrad.autograd.AutogradOptions.Scheduler;
import io.hazelgrad.autograd.PassOptions;
import io.hazelgrad.autograd.internal.calls.CallPassScheduler;
import io.hazelgrad.autograd.internal.context.ContextMessages;
import io.hazelgrad.autograd.internal.context.ContextPeers;
import io.hazelgrad.autograd.internal.context.ContextRecorder;
import io.hazelgrad.autograd.internal.context.ContextState;
import io.hazelgrad.autograd.internal.history.PassLog;
import io.hazelgrad.autograd.internal.history.PassLogEntry;
import io.hazelgrad.autograd.internal.jet.JetPassScheduler;
import io.hazelgrad.autograd.internal.plan.PassDecisions;
import io.hazelgrad.autograd.internal.plan.Plan;
import io.hazelgrad.autograd.internal.plan.PlanPart;
import io.hazelgrad.autograd.internal.tape.PassRoots;
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
import java.util.function.Function;

/**
 * Runs backward passes as their initiator: plans, runs the roots here, lets the rest be run by
 * calls or as a Jet job, and decides. The decision is one step in this worker's memory: {@link
 * PassTable#learn} with the pass committed or aborted. The others hear of a commit with the next
 * message of the context, and of an abort at once. If this worker dies before it decided, or before
 * anybody heard, the pass is aborted.
 */
public final class PassInitiator {
  private static final long MOST_PAUSE_NANOS = 50_000_000;

  private final GridContext grid;
  private final ContextPeers peers;
  private final PassTable passes;
  private final ContextMessages messages;
  private final PassPlanning planning;
  private final ContextRecorder recording;
  private final CallPassScheduler flows;
  private final JetPassScheduler jobs;
  private final PassLog log;
  private final Scheduler scheduler;
  private final AtomicLong sequence = new AtomicLong();
  private final AbortNotices aborts = new AbortNotices();

  /** A pass that is planned, for as many attempts as it takes. */
  private record Planned(
      ContextState state,
      PassOptions options,
      Plan plan,
      Map<Long, Worker> workers,
      PassDeadline deadline,
      PassLogEntry logged) {}

  public PassInitiator(
      GridContext grid,
      ContextPeers peers,
      PassTable passes,
      ContextMessages messages,
      ContextRecorder recording,
      CallPassScheduler flows,
      PassLog log) {
    this.grid = grid;
    this.recording = recording;
    this.flows = flows;
    this.jobs = new JetPassScheduler(grid.hazelcast(), grid.background());
    this.scheduler = grid.config().options(AutogradOptions.defaults()).scheduler();
    this.peers = peers;
    this.passes = passes;
    this.messages = messages;
    this.planning = new PassPlanning(grid, peers, messages);
    this.log = log;
  }

  public Plan plan(ContextState state, PassRoots roots) {
    return planning.plan(state, roots, PassDeadline.in(grid.callTimeout()));
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
    Duration given = options.deadline();
    PassDeadline deadline = PassDeadline.in(given == null ? grid.callTimeout() : given);
    Plan plan = planning.plan(state, roots, deadline);
    logged.planned(plan);
    Map<Long, Worker> workers = planning.workers(plan);
    Planned pass = new Planned(state, options, plan, workers, deadline, logged);
    tellEarlierDecisions(state, workers);
    long self = grid.self().id();
    state.addInitiator(self);
    long number = sequence.incrementAndGet(); // From here on it must be decided.
    try {
      for (int attempt = 0; ; attempt++) {
        PassId id = new PassId(self, number, attempt);
        logged.attempt(id, List.of());
        LocalAttempt run =
            new LocalAttempt(id, state, options.retainGraph(), plan.part(self), roots.node());
        passes.stage(run);
        start(run, roots);
        if (attempt(id, pass)) {
          break;
        }
        requireAlive(workers);
        // The members may need a moment to agree on who is there.
        LockSupport.parkNanos(Math.min(MOST_PAUSE_NANOS, (attempt + 1) * 1_000_000L));
      }
      if (state.id().originator() != self && workers.size() > 1) {
        messages.commit(state.id(), passes.decisions(self).commit(number));
      }
    } catch (Throwable e) {
      var unused = decide(number, false);
      aborts.add(number, workers.keySet().stream().filter(id -> id != self).toList());
      tellAborts(workers.values());
      throw e;
    }
    List<Runnable> telling = decide(number, true);
    log.end(logged, null);
    forgetAborts();
    telling.forEach(Runnable::run);
  }

  /** Tells those that have not heard of an abort, and forgets what all have heard of. */
  public void sweep() {
    if (aborts.isEmpty()) {
      return;
    }
    Map<Long, Worker> living = peers.living();
    aborts.retain(living.keySet());
    Set<Long> waitedFor = aborts.waitedFor();
    tellAborts(living.values().stream().filter(each -> waitedFor.contains(each.id())).toList());
  }

  private void tellAborts(Collection<Worker> workers) {
    Set<Long> told = aborts.passes(); // Before the message is made, so that all are in it.
    var unused =
        messages
            .decided(workers, List.of(grid.self().id()))
            .thenAccept(
                heard -> {
                  aborts.heard(told, heard);
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

  private void start(LocalAttempt run, PassRoots roots) {
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
            .filter(id -> !passes.decisions(id).equals(PassDecisions.NONE))
            .toList();
    if (!initiators.isEmpty()) {
      grid.await(messages.decided(workers.values(), initiators));
    }
  }

  /** Decides a pass; returns what hooks are to be told. */
  private synchronized List<Runnable> decide(long number, boolean commit) {
    long self = grid.self().id();
    PassDecisions before = passes.decisions(self);
    return passes.learnOnly(self, commit ? before.commit(number) : before.abort(number));
  }

  /** Returns true if the attempt went well, false if it is worth another one. */
  private boolean attempt(PassId id, Planned pass) {
    if (pass.plan.waves() == 0) {
      return true;
    }
    Map<Long, UUID> hosts = hosts(pass.workers.values(), pass.deadline);
    pass.logged.attempt(id, hosts.values());
    AttemptOutcome outcome = run(id, pass, hosts);
    if (outcome instanceof AttemptOutcome.Failed failed) {
      throw failed.error();
    }
    if (outcome instanceof AttemptOutcome.MemberLost && pass.deadline.isOver()) {
      throw new GridException(
          Status.TIMEOUT,
          "members came and went until the deadline of pass " + id,
          true,
          null,
          null);
    }
    return outcome instanceof AttemptOutcome.Done;
  }

  private AttemptOutcome run(PassId id, Planned pass, Map<Long, UUID> hosts) {
    if (!hosts.keySet().containsAll(pass.plan.participants())) {
      return new AttemptOutcome.MemberLost(
          new GridException(Status.WORKER_LOST, "no worker relays for a client of the pass"));
    }
    Function<Map<Long, PlanPart>, PassSpec> specs =
        parts ->
            new PassSpec(
                id,
                pass.state.id().originator(),
                pass.state.id().sequence(),
                pass.options.retainGraph(),
                passes.decisions(id.initiator()),
                pass.plan.waves(),
                parts);
    String job = pass.options.job();
    Duration left = pass.deadline.left();
    if (job == null && scheduler == Scheduler.CALLS) {
      return recording.outside(() -> flows.run(id, pass.plan, hosts, specs, left));
    }
    return grid.waiting(() -> jobs.run(job, id, pass.plan, hosts, specs, left));
  }

  /** Returns the members that act for workers and clients; a client may have none for now. */
  private Map<Long, UUID> hosts(Collection<Worker> all, PassDeadline deadline) {
    Map<Long, UUID> hosts = new HashMap<>();
    for (Worker each : all) {
      UUID host = peers.host(each, deadline);
      if (host != null) {
        hosts.put(each.id(), host);
      }
    }
    return hosts;
  }

  private void requireAlive(Map<Long, Worker> workers) {
    for (Worker worker : workers.values()) {
      if (!peers.isLiving(worker)) {
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
