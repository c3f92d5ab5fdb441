package io.hazelgrad.autograd.internal.plan;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one autograd context that one worker knows, and its belief about the messages
 * that each other worker knows. Threads: guarded by the caller.
 */
public final class MessageGraph {
  /*
   * Why sending is cheap. A worker that knows a message knows all messages below it: they travel
   * together, or the lower ones travelled before. So the search for unknown messages stops at the
   * first message that the receiver knows. Each message is marked once per receiver, so all searches
   * together visit each message once per receiver.
   *
   * The rule fails in one case: a carrier is lost, or is overtaken by a message that relied on it.
   * Then a worker lacks a descriptor. Planning asks for it (PlanningStep.Missing), so the plan is never
   * wrong. forgetSent() makes the case rare.
   */
  private final Map<MessageId, MessageDescriptor> known = new HashMap<>();
  private final Map<Long, Set<MessageId>> believedKnown = new HashMap<>();

  /** Adds a message that this worker sent, or learned of by asking. */
  public void add(MessageDescriptor descriptor) {
    MessageDescriptor earlier = known.putIfAbsent(descriptor.id(), descriptor);
    if (earlier != null && !earlier.equals(descriptor)) {
      throw new GridException(
          Status.BAD_VALUE, "two messages under one id: " + earlier + " and " + descriptor);
    }
  }

  /** Adds the descriptors that a message from {@code sender} carried; the sender knows them. */
  public void addFrom(long sender, Collection<MessageDescriptor> descriptors) {
    Set<MessageId> theirs = believedKnown(sender);
    for (MessageDescriptor each : descriptors) {
      add(each);
      theirs.add(each.id());
    }
  }

  /** Returns a message's descriptor, or null if it is not known here. */
  public @Nullable MessageDescriptor get(MessageId id) {
    return known.get(id);
  }

  int size() {
    return known.size();
  }

  /**
   * Returns the descriptors of messages directly below a carrier, and of all below them, that its
   * receiver does not know yet, and marks them as sent. Messages not known here are left out.
   */
  public List<MessageDescriptor> unknownTo(long receiver, Collection<MessageId> roots) {
    Set<MessageId> theirs = believedKnown(receiver);
    List<MessageDescriptor> unknown = new ArrayList<>();
    Deque<MessageId> open = new ArrayDeque<>(roots);
    while (!open.isEmpty()) {
      MessageDescriptor next = known.get(open.removeFirst());
      if (next == null || next.sender() == receiver || next.receiver() == receiver) {
        continue;
      }
      if (theirs.add(next.id())) {
        unknown.add(next);
        open.addAll(next.below());
      }
    }
    return unknown;
  }

  /** Undoes the marks of messages whose carrier failed to arrive. */
  public void forgetSent(long receiver, Collection<MessageId> ids) {
    believedKnown(receiver).removeAll(Set.copyOf(ids));
  }

  private Set<MessageId> believedKnown(long worker) {
    return believedKnown.computeIfAbsent(worker, any -> new HashSet<>());
  }
}
