package io.hazelgrad.autograd.internal.initiator;

import io.hazelgrad.autograd.internal.context.ContextMessages;
import io.hazelgrad.autograd.internal.context.ContextPeers;
import io.hazelgrad.autograd.internal.context.ContextState;
import io.hazelgrad.autograd.internal.plan.MessageId;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Plans passes whose roots are on this worker; asks other workers for unknown parts of the graph.
 * Threads: safe.
 */
record PassPlanning(GridContext grid, ContextPeers peers, ContextMessages messages) {
  Plan plan(ContextState state, PassRoots roots, PassDeadline deadline) {
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
        return plan.withNames(names(state, plan));
      }
      messages.ask(state, ((PlanningStep.Missing) step).messages(), deadline.left());
    }
  }

  private Map<Long, String> names(ContextState state, Plan plan) {
    Map<Long, String> names = new HashMap<>();
    state.peers().forEach(peer -> names.put(peer.id(), peer.name()));
    plan.participants().forEach(id -> names.computeIfAbsent(id, grid::nameOf));
    names.put(grid.self().id(), grid.self().name());
    return names;
  }

  /** Returns the workers and clients of a plan; WORKER_LOST if one has left. */
  Map<Long, Worker> workers(Plan plan) {
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
}
