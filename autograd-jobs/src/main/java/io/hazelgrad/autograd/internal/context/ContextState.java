package io.hazelgrad.autograd.internal.context;

import io.hazelgrad.autograd.ContextId;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.internal.plan.MessageDescriptor;
import io.hazelgrad.autograd.internal.plan.MessageGraph;
import io.hazelgrad.autograd.internal.plan.MessageId;
import io.hazelgrad.autograd.internal.tape.Edge;
import io.hazelgrad.autograd.internal.tape.GradientEngine;
import io.hazelgrad.autograd.internal.tape.GraphWalk;
import io.hazelgrad.autograd.internal.tape.LeafNode;
import io.hazelgrad.autograd.internal.tape.Node;
import io.hazelgrad.autograd.internal.tape.RecvNode;
import io.hazelgrad.autograd.internal.tape.SendNode;
import io.hazelgrad.autograd.internal.tape.TypeAndDevice;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.Worker;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One worker's state of one context: the send and recv nodes of its messages here, the graph of
 * messages, the gradients of its leaves, and the workers to tell when it closes. Threads: safe;
 * everything is guarded by this.
 */
public final class ContextState {
  private final ContextId id;
  private final long sinceNanos = System.nanoTime();
  private MessageGraph graph = new MessageGraph();
  private final Map<MessageId, SendNode> sends = new HashMap<>();
  private final Map<MessageId, RecvNode> recvs = new HashMap<>();
  private final Map<Variable, Tensor> gradients = new HashMap<>();
  private final Set<Worker> peers = new HashSet<>();
  private final Set<Long> initiators = new HashSet<>();

  /**
   * The recv nodes that a sent node reached. A loop that sends the end of a growing tape then does
   * not walk over the whole tape each time.
   */
  private final Map<Node, List<RecvNode>> reached = new HashMap<>();

  private volatile boolean checked;
  private boolean closed;

  public ContextState(ContextId id) {
    this.id = id;
  }

  public ContextId id() {
    return id;
  }

  /** Switches anomaly mode on for all later work in this context. */
  public void check() {
    checked = true;
  }

  public boolean isChecked() {
    return checked;
  }

  public long ageNanos() {
    return System.nanoTime() - sinceNanos;
  }

  synchronized void close() {
    closed = true;
    sends.clear();
    recvs.clear();
    gradients.clear();
    reached.clear();
    graph = new MessageGraph();
  }

  public synchronized boolean isOpen() {
    return !closed;
  }

  public synchronized void requireOpen() {
    if (closed) {
      throw closed(id);
    }
  }

  public static GridException closed(ContextId id) {
    return new GridException(
        Status.CONTEXT_CLOSED, id + " was closed; open a new one for further work");
  }

  /** Adds a worker that is told of the closing; throws if the context is closed already. */
  synchronized void addPeer(Worker peer) {
    requireOpen();
    peers.add(peer);
  }

  public synchronized Set<Worker> peers() {
    return Set.copyOf(peers);
  }

  /** Adds a worker that runs passes in this context, so that its decisions are passed on. */
  public synchronized void addInitiator(long worker) {
    initiators.add(worker);
  }

  public synchronized Set<Long> initiators() {
    return Set.copyOf(initiators);
  }

  /** Records an outgoing message; returns its descriptor, then those that its receiver lacks. */
  public synchronized List<MessageDescriptor> send(
      MessageId message, long receiver, List<@Nullable Edge> edges, List<TypeAndDevice> tensors) {
    requireOpen();
    List<MessageId> below =
        GraphWalk.received(edges, id, reached).stream().map(RecvNode::message).toList();
    MessageDescriptor descriptor = new MessageDescriptor(message, receiver, edges.size(), below);
    graph.add(descriptor);
    sends.put(message, new SendNode(message, edges, tensors));
    List<MessageDescriptor> carried = new ArrayList<>();
    carried.add(descriptor);
    carried.addAll(graph.unknownTo(receiver, below));
    return carried;
  }

  /** Undoes the marks of descriptors whose message failed to arrive. */
  synchronized void notCarried(long receiver, Collection<MessageDescriptor> descriptors) {
    graph.forgetSent(receiver, descriptors.stream().map(MessageDescriptor::id).toList());
  }

  /** Records an incoming message; the first descriptor is its own. */
  public synchronized RecvNode receive(long sender, List<MessageDescriptor> carried) {
    requireOpen();
    graph.addFrom(sender, carried);
    MessageDescriptor own = carried.get(0);
    RecvNode node = new RecvNode(id, own.id(), own.tensors());
    recvs.put(own.id(), node);
    return node;
  }

  public synchronized MessageGraph graph() {
    return graph;
  }

  synchronized void learn(Collection<MessageDescriptor> descriptors) {
    descriptors.forEach(graph::add);
  }

  synchronized @Nullable MessageDescriptor descriptor(MessageId message) {
    return graph.get(message);
  }

  public synchronized SendNode sendNode(MessageId message) {
    return node(sends, message, "was not sent from here");
  }

  public synchronized RecvNode recvNode(MessageId message) {
    return node(recvs, message, "did not arrive here");
  }

  private <N> N node(Map<MessageId, N> nodes, MessageId message, String why) {
    requireOpen();
    N node = nodes.get(message);
    if (node == null) {
      throw new GridException(Status.PASS_FAILED, "message " + message + " of " + id + " " + why);
    }
    return node;
  }

  public synchronized @Nullable Tensor gradient(Variable leaf) {
    requireOpen();
    return gradients.get(leaf);
  }

  /** Adds the gradients of a committed pass; returns the hooks to run, without any lock. */
  public synchronized List<Runnable> accumulate(Map<LeafNode, Tensor> staged) {
    if (closed) {
      return List.of();
    }
    List<Runnable> hooks = new ArrayList<>();
    staged.forEach(
        (leaf, gradient) -> {
          Tensor sum = GradientEngine.add(gradients.get(leaf.variable()), gradient);
          gradients.put(leaf.variable(), sum);
          hooks.addAll(leaf.hooksAfter(sum));
        });
    return hooks;
  }

  public synchronized Map<Variable, Tensor> gradients() {
    requireOpen();
    return new HashMap<>(gradients);
  }
}
