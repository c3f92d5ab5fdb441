package io.hazelgrad.autograd.internal.calls;

import io.hazelgrad.autograd.internal.pass.GradientMessage;
import io.hazelgrad.autograd.internal.pass.PassSpec;
import io.hazelgrad.autograd.internal.plan.MessageId;
import io.hazelgrad.autograd.internal.plan.PlanPart;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongUnaryOperator;

/**
 * The steps of one host in an attempt, as a state machine: it maps each event to the next steps,
 * and has no threads, clocks or messages of its own.
 *
 * <p>A host advances in each wave in which it takes gradients, in order; the initiator's host also
 * in wave 0, after the roots. It advances when all gradients of the wave have arrived; gradients of
 * a later wave wait. The computed gradients leave in the next wave. So a host sends each other host
 * at most one batch per wave. The reply to a batch is sent after the wave, and holds the gradients
 * that go back to its sender. This saves one batch for each two waves of a chain. Threads: guarded
 * by the caller.
 */
final class PassStateMachine {
  sealed interface Step {}

  /** Deliver gradients to the participant and let it advance, then call {@link #advanced}. */
  record Advance(int wave, List<GradientMessage> taken) implements Step {}

  /**
   * Reply to the batch that a host sent for a wave, with the gradients that it takes in the next
   * one. {@code isLast} tells the coordinator that this host's part is done.
   */
  record Reply(int wave, long host, List<GradientMessage> messages, boolean isLast)
      implements Step {}

  /** Send a host the batch of gradients that it takes in a wave. */
  record Send(int wave, long host, List<GradientMessage> messages) implements Step {}

  /** This host's part is done; {@code isReported} if a reply has told the coordinator. */
  record Done(boolean isReported) implements Step {}

  private final long self;
  private final long coordinator;
  private final LongUnaryOperator hostOf;

  /** The waves in which this host has not advanced yet. */
  private final TreeMap<Integer, Wave> waves = new TreeMap<>();

  private boolean isAdvancing;
  private boolean isDone;

  /** A wave in which this host advances. */
  private static final class Wave {
    final Set<MessageId> missing = new HashSet<>();
    final Set<MessageId> leaving = new HashSet<>();
    final List<GradientMessage> taken = new ArrayList<>();
    final Set<Long> senders = new LinkedHashSet<>();
  }

  /** Creates the state of the host {@code self} before wave 0. */
  PassStateMachine(PassSpec spec, long self, long coordinator, LongUnaryOperator hostOf) {
    this.self = self;
    this.coordinator = coordinator;
    this.hostOf = hostOf;
    for (PlanPart part : spec.parts().values()) {
      part.sends().forEach(send -> wave(send.wave()).missing.add(send.id()));
      part.recvs().forEach(recv -> wave(recv.wave() - 1).leaving.add(recv.id()));
    }
  }

  private Wave wave(int number) {
    return waves.computeIfAbsent(number, any -> new Wave());
  }

  List<Step> start() {
    List<Step> steps = new ArrayList<>();
    proceed(steps, false);
    return steps;
  }

  /** Handles gradients that have arrived from a host: a batch, which gets a reply, or a reply. */
  List<Step> arrived(int number, long host, Collection<GradientMessage> messages, boolean isBatch) {
    List<Step> steps = new ArrayList<>();
    take(number, messages);
    if (isBatch) {
      wave(number).senders.add(host);
    }
    proceed(steps, false);
    return steps;
  }

  private void take(int number, Collection<GradientMessage> messages) {
    Wave wave = waves.get(number);
    for (GradientMessage each : messages) {
      if (wave == null || !wave.missing.remove(each.message())) {
        throw broken(number, each + " came twice, or is not in the plan");
      }
      wave.taken.add(each);
    }
  }

  /** Handles the end of an advance of the participant, with the gradients of the next wave. */
  List<Step> advanced(List<GradientMessage> emitted) {
    Map.Entry<Integer, Wave> first = waves.pollFirstEntry();
    if (!isAdvancing || first == null) {
      throw new IllegalStateException("nothing advances");
    }
    isAdvancing = false;
    int number = first.getKey();
    Wave wave = first.getValue();
    Map<Long, List<GradientMessage>> byHost = byHost(number, wave.leaving, emitted);
    List<GradientMessage> own = byHost.remove(self);
    if (own != null) {
      take(number + 1, own);
    }
    boolean isLast = waves.isEmpty();
    List<Step> steps = new ArrayList<>();
    for (long sender : wave.senders) {
      List<GradientMessage> back = Objects.requireNonNullElse(byHost.remove(sender), List.of());
      steps.add(new Reply(number, sender, back, isLast && sender == coordinator));
    }
    byHost.forEach((host, messages) -> steps.add(new Send(number + 1, host, messages)));
    proceed(steps, wave.senders.contains(coordinator));
    return steps;
  }

  private Map<Long, List<GradientMessage>> byHost(
      int number, Set<MessageId> leaving, List<GradientMessage> emitted) {
    Set<MessageId> left = new HashSet<>(leaving);
    Map<Long, List<GradientMessage>> byHost = new LinkedHashMap<>();
    for (GradientMessage each : emitted) {
      if (!left.remove(each.message())) {
        throw broken(
            number, each + " was made for wave " + (number + 1) + ", which the plan does not have");
      }
      byHost
          .computeIfAbsent(hostOf.applyAsLong(each.message().worker()), any -> new ArrayList<>())
          .add(each);
    }
    if (!left.isEmpty()) {
      throw broken(
          number, left + " was not made for wave " + (number + 1) + ", as the plan has it");
    }
    return byHost;
  }

  private void proceed(List<Step> steps, boolean isReported) {
    if (isAdvancing || isDone) {
      return;
    }
    Map.Entry<Integer, Wave> next = waves.firstEntry();
    if (next == null) {
      isDone = true;
      steps.add(new Done(isReported));
    } else if (next.getValue().missing.isEmpty()) {
      isAdvancing = true;
      steps.add(new Advance(next.getKey(), List.copyOf(next.getValue().taken)));
    }
  }

  private static GridException broken(int wave, String what) {
    return new GridException(Status.INTERNAL, "wave " + wave + ": " + what);
  }
}
