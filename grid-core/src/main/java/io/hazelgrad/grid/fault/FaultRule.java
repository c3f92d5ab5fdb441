package io.hazelgrad.grid.fault;

import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.MessageFault;
import io.hazelgrad.grid.spi.MessageKind;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A rule that is in force until it is removed. Threads: safe. */
public final class FaultRule {
  private final Faults home;
  private final FaultPlan.Target target;
  private final MessageFault disturbance;
  private final SplittableRandom random;
  private final Map<String, Long> counts = new TreeMap<>();
  private long count;

  FaultRule(Faults home, FaultPlan.Target target, MessageFault disturbance) {
    this.home = home;
    this.target = target;
    this.disturbance = disturbance;
    this.random = new SplittableRandom(target.seed());
  }

  /** Returns what the rule does to a message, null if it is not meant. */
  synchronized @Nullable MessageFault meet(MessageKind kind, @Nullable Worker to, int attempt) {
    boolean meant =
        (target.kind() == null || target.kind().equals(kind.name()))
            && (target.worker() == null || (to != null && target.worker().equals(to.name())))
            && attempt < target.attempts()
            && count < target.first()
            && (target.probability() >= 1 || random.nextDouble() < target.probability());
    if (!meant) {
      return null;
    }
    count++;
    counts.merge(kind.name(), 1L, Long::sum);
    return disturbance;
  }

  /** Returns how many messages it has met. */
  public synchronized long count() {
    return count;
  }

  synchronized Map<String, Long> countsByKind() {
    return Map.copyOf(counts);
  }

  /** Ends the rule. Removing it twice does nothing. */
  public void remove() {
    home.remove(this);
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
    text.append(": ").append(disturbance.what());
    if (!disturbance.delay().isZero()) {
      text.append(" of ").append(disturbance.delay().toMillis()).append(" ms");
    }
    return text.toString();
  }
}
