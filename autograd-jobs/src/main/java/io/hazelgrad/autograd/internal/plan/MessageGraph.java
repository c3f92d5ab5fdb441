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
 * What one worker knows of the messages of one autograd context, and what it believes each other
 * worker knows.
 *
 * <p>Threads: guarded by the caller.
 */
public final class MessageGraph {
  /*
   * Why sending is cheap. Whoever knows a message knows all that lies below it: the two travel
   * together, or the lower one travelled before. So the search for what a receiver lacks stops at
   * the first message that the receiver knows, and as each message is marked once per receiver, all
   * the searches together visit each message once per receiver.
   *
   * The rule can fail in one way: a carrier is lost, or is overtaken by a message that relied on it.
   * Then someone lacks a descriptor. That costs a question when a pass is planned (Planner, Missing)
   * and never a wrong plan. forgetSent() makes it rare.
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

  /** Adds what a message from {@code sender} carried; the sender will not be sent it again. */
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

  /** Returns the number of messages known here. */
  public int size() {
    return known.size();
  }

  /**
   * Returns the descriptors of the given messages, and of all below them, that {@code receiver}
   * does not know yet, and marks them as sent to it. What is not known here is left out.
   *
   * @param receiver the worker to which they will be sent
   * @param roots where to start: what lies below the message that will carry them
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

  /** Takes back that messages were sent, when the call that carried them failed. */
  public void forgetSent(long receiver, Collection<MessageId> ids) {
    believedKnown(receiver).removeAll(Set.copyOf(ids));
  }

  private Set<MessageId> believedKnown(long worker) {
    return believedKnown.computeIfAbsent(worker, any -> new HashSet<>());
  }
}
