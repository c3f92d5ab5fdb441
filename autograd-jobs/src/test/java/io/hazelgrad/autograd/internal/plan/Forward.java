package io.hazelgrad.autograd.internal.plan;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Records a made-up forward pass as the workers would, for tests. */
public final class Forward {
  private final Map<Long, MessageGraph> graphs = new HashMap<>();
  private final Map<Long, Long> sequences = new HashMap<>();
  private final MessageGraph all = new MessageGraph();

  /** Descriptors carried by each message, itself included, in order of sending. */
  public final List<List<MessageDescriptor>> carried = new ArrayList<>();

  /** Sends a message whose tensors depend on messages that the sender received. */
  public MessageId send(long from, long to, MessageId... below) {
    MessageId id = new MessageId(from, sequences.merge(from, 1L, Long::sum));
    MessageDescriptor descriptor = new MessageDescriptor(id, to, 1, List.of(below));
    MessageGraph sender = graph(from);
    List<MessageDescriptor> load = new ArrayList<>(sender.unknownTo(to, descriptor.below()));
    load.add(descriptor);
    sender.add(descriptor);
    all.add(descriptor);
    graph(to).addFrom(from, load);
    carried.add(load);
    return id;
  }

  /** Calls and answers: the request depends on {@code below}, the reply on the request. */
  public MessageId call(long from, long to, MessageId... below) {
    return send(to, from, send(from, to, below));
  }

  /** Returns what a worker knows. */
  public MessageGraph graph(long worker) {
    return graphs.computeIfAbsent(worker, any -> new MessageGraph());
  }

  /** Returns what all workers know together. */
  public MessageGraph all() {
    return all;
  }

  /** Returns the descriptor of a message. */
  public MessageDescriptor get(MessageId id) {
    return Objects.requireNonNull(all.get(id));
  }

  /** Plans at a worker that knows all it needs. */
  public Plan plan(long initiator, MessageId... roots) {
    return (Plan) Planner.step(initiator, List.of(roots), graph(initiator));
  }
}
