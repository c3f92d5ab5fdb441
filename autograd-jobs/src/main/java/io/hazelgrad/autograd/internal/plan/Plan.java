package io.hazelgrad.autograd.internal.plan;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Who sends which gradients in which wave of a backward pass. The gradients of a message flow from
 * its receiver to its sender. Waves count from 1; wave 0 is the run of the roots at the initiator.
 *
 * <p>Two things follow from waves being longest paths, and schedulers rely on them: no wave is
 * empty, and whoever emits a gradient in wave w + 1 took one in wave w (or ran the roots).
 *
 * <p>Threads: immutable.
 */
public final class Plan implements PlanningStep {
  private final long initiator;
  private final List<Entry> messages;
  private final Set<Long> participants = new LinkedHashSet<>();
  private final Map<Long, String> names;

  /**
   * A planned message.
   *
   * @param message the message
   * @param wave when its gradients flow
   * @param order its place in the plan, which is the order in which contributions are summed
   */
  public record Entry(MessageDescriptor message, int wave, int order) {
    /** Returns the message's id. */
    public MessageId id() {
      return message.id();
    }
  }

  Plan(long initiator, List<Entry> messages) {
    this(initiator, messages, Map.of());
  }

  private Plan(long initiator, List<Entry> messages, Map<Long, String> names) {
    this.initiator = initiator;
    this.messages = List.copyOf(messages);
    this.names = Map.copyOf(names);
    participants.add(initiator);
    for (Entry each : this.messages) {
      participants.add(each.message.receiver());
      participants.add(each.message.sender());
    }
  }

  /** Returns the worker that runs the roots. */
  public long initiator() {
    return initiator;
  }

  /** Returns the planned messages, by wave, and within a wave in order of discovery. */
  public List<Entry> messages() {
    return messages;
  }

  /** Returns the number of waves; 0 if the roots reach no message. */
  public int waves() {
    return messages.isEmpty() ? 0 : messages.get(messages.size() - 1).wave();
  }

  /** Returns the workers that take part, the initiator first. */
  public List<Long> participants() {
    return List.copyOf(participants);
  }

  /** Returns what one worker does. */
  public PlanPart part(long worker) {
    List<PlanPart.Send> sends = new ArrayList<>();
    List<PlanPart.Recv> recvs = new ArrayList<>();
    for (Entry each : messages) {
      if (worker == each.message.sender()) {
        sends.add(new PlanPart.Send(each.id(), each.wave, each.order));
      }
      if (worker == each.message.receiver()) {
        recvs.add(new PlanPart.Recv(each.id(), each.wave));
      }
    }
    return new PlanPart(sends, recvs);
  }

  /** Returns the same plan, which knows the names of its workers. */
  public Plan withNames(Map<Long, String> workers) {
    return new Plan(initiator, messages, workers);
  }

  /** Returns a worker's name, or its id where the name is not known. */
  public String name(long worker) {
    return names.getOrDefault(worker, String.valueOf(worker));
  }

  /**
   * Returns a table with a line per message, by wave: from which worker to which the gradients
   * flow, of which message, and of how many tensors at most.
   */
  @Override
  public String toString() {
    return PlanText.table(this);
  }

  /**
   * Returns the plan as a graph in Graphviz's DOT language: a box for each wave, in it the workers
   * that take gradients then, and an arrow for each message.
   */
  public String toDot() {
    return PlanText.dot(this);
  }
}
