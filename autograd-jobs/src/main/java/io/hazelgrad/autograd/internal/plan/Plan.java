package io.hazelgrad.autograd.internal.plan;

import io.hazelgrad.autograd.PassPlan;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The messages of a backward pass, by wave. The gradients of a message flow from its receiver to
 * its sender. Waves count from 1; wave 0 is the run of the roots at the initiator.
 *
 * <p>A wave is the length of a longest path. Schedulers rely on two consequences: no wave is empty,
 * and a worker that emits a gradient in wave w + 1 took one in wave w, or ran the roots. Threads:
 * immutable.
 *
 * @param initiator the worker that runs the roots
 * @param messages the planned messages, by wave; within a wave in the order of discovery
 * @param names the names of workers, as far as they are known
 */
public record Plan(long initiator, List<Entry> messages, Map<Long, String> names)
    implements PlanningStep, PassPlan {
  public Plan {
    messages = List.copyOf(messages);
    names = Map.copyOf(names);
  }

  /** A planned message, and its place in the plan; contributions are summed in this order. */
  public record Entry(MessageDescriptor message, int wave, int order) implements PassPlan.Message {
    public MessageId id() {
      return message.id();
    }

    @Override
    public long sender() {
      return message.sender();
    }

    @Override
    public long receiver() {
      return message.receiver();
    }

    @Override
    public int tensors() {
      return message.tensors();
    }
  }

  @Override
  public int waves() {
    return messages.isEmpty() ? 0 : messages.get(messages.size() - 1).wave();
  }

  @Override
  public List<Long> participants() {
    Set<Long> participants = new LinkedHashSet<>(Set.of(initiator));
    for (Entry each : messages) {
      participants.add(each.receiver());
      participants.add(each.sender());
    }
    return List.copyOf(participants);
  }

  /** Returns the part of one worker. */
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

  /** Returns the parts of all participants, by the hosts that act for them, in the plan's order. */
  public <H> Map<H, Map<Long, PlanPart>> parts(Map<Long, H> hosts) {
    Map<H, Map<Long, PlanPart>> parts = new LinkedHashMap<>();
    for (long worker : participants()) {
      H host = Objects.requireNonNull(hosts.get(worker));
      parts.computeIfAbsent(host, any -> new LinkedHashMap<>()).put(worker, part(worker));
    }
    return parts;
  }

  /** Returns this plan with the names of its workers. */
  public Plan withNames(Map<Long, String> workers) {
    return new Plan(initiator, messages, workers);
  }

  @Override
  public String name(long worker) {
    return names.getOrDefault(worker, String.valueOf(worker));
  }

  @Override
  public String toString() {
    return PlanText.table(this);
  }

  @Override
  public String toDot() {
    return PlanText.dot(this);
  }
}
