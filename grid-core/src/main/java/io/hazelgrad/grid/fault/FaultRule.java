package io.hazelgrad.grid.fault;

import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.FaultPolicy.MessageFault;
import io.hazelgrad.grid.spi.MessageKind;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A fault rule in force. It ends when it is removed. Threads: safe. */
public final class FaultRule {
  private final Faults faults;
  private final FaultPlan.Target target;
  private final MessageFault fault;
  private final SplittableRandom random;
  private final Map<String, Long> counts = new TreeMap<>();
  private long count;

  FaultRule(Faults faults, FaultPlan.Target target, MessageFault fault) {
    this.faults = faults;
    this.target = target;
    this.fault = fault;
    this.random = new SplittableRandom(target.seed());
  }

  /** Returns the fault of a message, or null if the rule does not apply to it. */
  synchronized @Nullable MessageFault match(MessageKind kind, @Nullable Worker to, int attempt) {
    boolean matches =
        (target.kind() == null || target.kind().equals(kind.name()))
            && (target.worker() == null || (to != null && target.worker().equals(to.name())))
            && attempt < target.attempts()
            && count < target.first()
            && (target.probability() >= 1 || random.nextDouble() < target.probability());
    if (!matches) {
      return null;
    }
    count++;
    counts.merge(kind.name(), 1L, Long::sum);
    return fault;
  }

  /** Returns the number of messages that it has applied to. */
  public synchronized long count() {
    return count;
  }

  synchronized Map<String, Long> countsByKind() {
    return Map.copyOf(counts);
  }

  /** Ends the rule. Removing it again does nothing. */
  public void remove() {
    faults.remove(this);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append(target.kind() == null ? "any message" : target.kind());
    if (target.worker() != null) {
      text.append(" to ").append(target.worker());
    }
    if (target.first() != Long.MAX_VALUE) {
      text.append(", the first ").append(target.first());
    }
    if (target.attempts() != Integer.MAX_VALUE) {
      text.append(", the first ").append(target.attempts()).append(" attempts of each");
    }
    if (target.probability() < 1) {
      text.append(", with probability ").append(target.probability());
    }
    text.append(": ").append(fault.what());
    if (!fault.delay().isZero()) {
      text.append(" of ").append(fault.delay().toMillis()).append(" ms");
    }
    return text.toString();
  }
}
