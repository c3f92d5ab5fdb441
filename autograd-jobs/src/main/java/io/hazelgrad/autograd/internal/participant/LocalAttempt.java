package io.hazelgrad.autograd.internal.participant;

import io.hazelgrad.autograd.internal.context.ContextState;
import io.hazelgrad.autograd.internal.pass.GradientMessage;
import io.hazelgrad.autograd.internal.pass.PassId;
import io.hazelgrad.autograd.internal.plan.MessageId;
import io.hazelgrad.autograd.internal.plan.PlanPart;
import io.hazelgrad.autograd.internal.tape.GradientEngine;
import io.hazelgrad.autograd.internal.tape.Node;
import io.hazelgrad.autograd.internal.tape.PassRoots;
import io.hazelgrad.autograd.internal.tape.RecvNode;
import io.hazelgrad.autograd.internal.tape.ReservedNodes;
import io.hazelgrad.autograd.internal.tape.RootsNode;
import io.hazelgrad.autograd.internal.tape.SendNode;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * One worker's part in one attempt at a pass: the engine over its nodes, and the gradients of its
 * leaves, staged until the pass is decided. Threads: {@link #deliver} only queues gradients,
 * because Jet's threads call it; {@link #advance} takes them. Everything else is guarded by this.
 */
final class LocalAttempt {
  private final PassId id;
  private final ContextState context;
  private final boolean retainGraph;
  private final PlanPart part;
  private final GradientEngine engine;
  private final ReservedNodes reserved;
  private final Map<MessageId, SendNode> sends = new HashMap<>();
  private final Map<MessageId, RecvNode> recvs = new HashMap<>();
  private final Queue<Delivery> inbox = new ConcurrentLinkedQueue<>();
  private int undelivered;
  private volatile boolean over;

  private record Delivery(SendNode node, List<@Nullable Tensor> gradients) {}

  /** Finds the nodes of the pass; {@code roots} is null except at the initiator. */
  LocalAttempt(
      PassId id,
      ContextState context,
      boolean retainGraph,
      PlanPart part,
      @Nullable RootsNode roots) {
    this.id = id;
    this.context = context;
    this.retainGraph = retainGraph;
    this.part = part;
    List<Node> starts = new ArrayList<>();
    if (roots != null) {
      starts.add(roots);
    }
    for (PlanPart.Send send : part.sends()) {
      SendNode node = context.sendNode(send.id());
      sends.put(send.id(), node);
      starts.add(node);
    }
    part.recvs().forEach(recv -> recvs.put(recv.id(), context.recvNode(recv.id())));
    undelivered = part.sends().size();
    engine = new GradientEngine(starts);
    for (Node node : engine.nodes()) {
      if (node instanceof RecvNode recv && !recvs.containsKey(recv.message())) {
        throw new GridException(
            Status.BAD_ARGUMENT,
            recv
                + " lies below the roots of a pass in "
                + context.id()
                + "; gradients do not flow from one context into another: detach() it");
      }
    }
    reserved = new ReservedNodes(id.key(), !retainGraph);
  }

  PassId id() {
    return id;
  }

  ContextState context() {
    return context;
  }

  /** Reserves the nodes, once, before any of them runs; PASS_CONFLICT if another pass has one. */
  void reserve() {
    reserved.reserve(engine.nodes());
  }

  /** Runs the roots, at the initiator. */
  synchronized void start(PassRoots roots) {
    engine.deliver(roots.node(), roots.gradients());
    engine.run(() -> over);
    requireComplete();
  }

  void deliver(GradientMessage message) {
    SendNode node = sends.get(message.message());
    if (node == null) {
      throw new GridException(Status.PASS_FAILED, message + " came, but no send node takes it");
    }
    inbox.add(new Delivery(node, node.accept(message.gradients())));
  }

  /** Runs all ready nodes; returns the gradients that leave in the wave after {@code wave}. */
  synchronized List<GradientMessage> advance(int wave) {
    for (Delivery next = inbox.poll(); next != null; next = inbox.poll()) {
      undelivered--;
      engine.deliver(next.node(), next.gradients());
    }
    engine.run(() -> over);
    requireComplete();
    List<GradientMessage> leaving = new ArrayList<>();
    for (PlanPart.Recv recv : part.recvs()) {
      if (recv.wave() == wave + 1) {
        leaving.add(leaving(recv));
      }
    }
    return leaving;
  }

  private GradientMessage leaving(PlanPart.Recv recv) {
    RecvNode node = recvs.get(recv.id());
    List<@Nullable Tensor> gradients = node == null ? null : engine.received(node);
    if (gradients == null) {
      throw new GridException(
          Status.PASS_FAILED,
          "the gradients of message %s are not ready in wave %s: %s"
              .formatted(recv.id(), recv.wave(), engine.unfinished()));
    }
    return new GradientMessage(recv.id(), gradients);
  }

  /** Checks that no node waits after the last delivery. */
  private void requireComplete() {
    if (over) {
      throw context.isOpen() ? id.over() : ContextState.closed(context.id());
    }
    if (undelivered == 0 && !engine.unfinished().isEmpty()) {
      throw new GridException(
          Status.PASS_FAILED,
          "nodes were left without all their gradients: " + engine.unfinished());
    }
  }

  /** Adds the gradients to the context and frees the graph; returns the hooks to run unlocked. */
  synchronized List<Runnable> commit() {
    try {
      List<Runnable> hooks = context.accumulate(engine.leaves());
      if (!retainGraph) {
        reserved.free();
      }
      return hooks;
    } finally {
      reserved.close();
    }
  }

  /** Drops the attempt: releases its nodes, and stops its engine soon. */
  void abort() {
    over = true;
    reserved.close();
  }
}
