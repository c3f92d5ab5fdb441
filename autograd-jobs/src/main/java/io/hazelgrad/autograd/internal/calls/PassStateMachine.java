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
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongUnaryOperator;

/**
 * What one host does in an attempt, step by step: a function from what came to what is to be done,
 * without threads, clocks or messages of its own.
 *
 * <p>A host acts in the waves in which it takes gradients, one after the other; the initiator's
 * also in wave 0, after the roots. It acts in a wave when all its gradients are there; what comes
 * for a later wave waits. What it makes leaves in the next wave. So each host sends at most one
 * letter to each other one in a wave. Whoever sent a letter is answered when the wave was acted in,
 * with the gradients that go back to it, which saves a letter for each two waves of a chain.
 *
 * <p>Threads: guarded by the caller.
 */
final class PassStateMachine {
  /** What is to be done. */
  sealed interface Step {}

  /** Hand gradients to the participant and let it advance, then call {@link #advanced}. */
  record Advance(int wave, List<GradientMessage> taken) implements Step {}

  /**
   * Answer the letter that a host sent for a wave.
   *
   * @param messages what it takes in the next wave
   * @param isLast whether this host has done its part with that; said only to the coordinator
   */
  record Answer(int wave, long host, List<GradientMessage> messages, boolean isLast)
      implements Step {}

  /** Send a host a letter with what it takes in a wave. */
  record Send(int wave, long host, List<GradientMessage> messages) implements Step {}

  /**
   * This host has done its part.
   *
   * @param isTold whether the coordinator hears of it by an answer
   */
  record Done(boolean isTold) implements Step {}

  private final long self;
  private final long coordinator;
  private final LongUnaryOperator hostOf;

  /** The waves that were not acted in yet. */
  private final TreeMap<Integer, Wave> waves = new TreeMap<>();

  private boolean isAdvancing;
  private boolean isDone;

  /** A wave in which this host acts. */
  private static final class Wave {
    final Set<MessageId> missing = new HashSet<>();
    final Set<MessageId> leaving = new HashSet<>();
    final List<GradientMessage> taken = new ArrayList<>();
    final Set<Long> asking = new LinkedHashSet<>();
  }

  /**
   * Begins.
   *
   * @param spec what the host's workers do
   * @param self the host, by the id of its worker, as all hosts
   * @param coordinator the host that coordinates
   * @param hostOf the host of a worker or client of the pass
   */
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

  /** Returns what is to be done first. */
  List<Step> start() {
    List<Step> steps = new ArrayList<>();
    goOn(steps, false);
    return steps;
  }

  /**
   * Gradients have come from a host.
   *
   * @param asks whether they came in a letter, which is to be answered; else they are an answer
   * @throws GridException INTERNAL if the plan does not have them there
   */
  List<Step> arrived(int number, long host, Collection<GradientMessage> messages, boolean asks) {
    List<Step> steps = new ArrayList<>();
    take(number, messages);
    if (asks) {
      wave(number).asking.add(host);
    }
    goOn(steps, false);
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

  /**
   * The participant has advanced.
   *
   * @param made what it emits in the next wave
   * @throws GridException INTERNAL if the plan has something else there
   */
  List<Step> advanced(List<GradientMessage> made) {
    Map.Entry<Integer, Wave> first = waves.pollFirstEntry();
    if (!isAdvancing || first == null) {
      throw new IllegalStateException("nothing advances");
    }
    isAdvancing = false;
    int number = first.getKey();
    Wave wave = first.getValue();
    Map<Long, List<GradientMessage>> byHost = byHost(number, wave.leaving, made);
    List<GradientMessage> own = byHost.remove(self);
    if (own != null) {
      take(number + 1, own);
    }
    boolean isLast = waves.isEmpty();
    List<Step> steps = new ArrayList<>();
    for (long asking : wave.asking) {
      List<GradientMessage> back = byHost.remove(asking);
      steps.add(
          new Answer(
              number, asking, back == null ? List.of() : back, isLast && asking == coordinator));
    }
    byHost.forEach((host, messages) -> steps.add(new Send(number + 1, host, messages)));
    goOn(steps, wave.asking.contains(coordinator));
    return steps;
  }

  private Map<Long, List<GradientMessage>> byHost(
      int number, Set<MessageId> leaving, List<GradientMessage> made) {
    Set<MessageId> left = new HashSet<>(leaving);
    Map<Long, List<GradientMessage>> byHost = new LinkedHashMap<>();
    for (GradientMessage each : made) {
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

  private void goOn(List<Step> steps, boolean isTold) {
    if (isAdvancing || isDone) {
      return;
    }
    Map.Entry<Integer, Wave> next = waves.firstEntry();
    if (next == null) {
      isDone = true;
      steps.add(new Done(isTold));
    } else if (next.getValue().missing.isEmpty()) {
      isAdvancing = true;
      steps.add(new Advance(next.getKey(), List.copyOf(next.getValue().taken)));
    }
  }

  private static GridException broken(int wave, String what) {
    return new GridException(Status.INTERNAL, "wave " + wave + ": " + what);
  }
}
