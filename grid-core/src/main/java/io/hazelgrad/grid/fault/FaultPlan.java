package io.hazelgrad.grid.fault;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.FaultPolicy.MessageFault;
import io.hazelgrad.grid.spi.FaultPolicy.MessageFault.What;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A fault rule that is being built; the last step, such as {@link #fail}, adds it. Immutable. */
public final class FaultPlan {
  /** The messages that a rule applies to. */
  record Target(
      @Nullable String kind,
      @Nullable String worker,
      long first,
      int attempts,
      double probability,
      long seed) {}

  private final Faults faults;
  private final Target target;

  FaultPlan(Faults faults, @Nullable String kind) {
    this(faults, new Target(kind, null, Long.MAX_VALUE, Integer.MAX_VALUE, 1, 0));
  }

  private FaultPlan(Faults faults, Target target) {
    this.faults = faults;
    this.target = target;
  }

  /** Restricts the rule to messages to this worker. Messages without one receiver are excluded. */
  public FaultPlan to(String worker) {
    Target t = target;
    return with(new Target(t.kind, worker, t.first, t.attempts, t.probability, t.seed));
  }

  /** Restricts the rule to the first {@code count} messages. */
  public FaultPlan first(long count) {
    long most = atLeastOne("first", count);
    Target t = target;
    return with(new Target(t.kind, t.worker, most, t.attempts, t.probability, t.seed));
  }

  /** Restricts the rule to the first attempts of each message; control messages are retried. */
  public FaultPlan firstAttempts(int count) {
    int most = (int) atLeastOne("firstAttempts", count);
    Target t = target;
    return with(new Target(t.kind, t.worker, t.first, most, t.probability, t.seed));
  }

  /** Restricts the rule to random messages, at the same positions for the same seed. */
  public FaultPlan sometimes(double probability, long seed) {
    if (!(probability > 0 && probability <= 1)) {
      throw new GridException(
          Status.BAD_ARGUMENT, "a probability must be above 0 and at most 1: " + probability);
    }
    Target t = target;
    return with(new Target(t.kind, t.worker, t.first, t.attempts, probability, seed));
  }

  private FaultPlan with(Target changed) {
    return new FaultPlan(faults, changed);
  }

  private static long atLeastOne(String what, long count) {
    if (count < 1) {
      throw new GridException(Status.BAD_ARGUMENT, what + " must be at least 1: " + count);
    }
    return count;
  }

  /** Makes sending fail at once with INTENTIONAL_FAILURE; the message is not sent. */
  public FaultRule fail() {
    return rule(What.FAIL, Duration.ZERO);
  }

  /** Sends the message after a pause. */
  public FaultRule delay(Duration pause) {
    if (pause.isNegative()) {
      throw new GridException(Status.BAD_ARGUMENT, "a delay must not be negative: " + pause);
    }
    return rule(What.DELAY, pause);
  }

  /**
   * Drops the message silently: a call ends at its deadline, a control message after one second.
   */
  public FaultRule dropRequest() {
    return rule(What.DROP_REQUEST, Duration.ZERO);
  }

  /** Delivers the message, which takes effect, but drops its reply. */
  public FaultRule dropReply() {
    return rule(What.DROP_REPLY, Duration.ZERO);
  }

  /** Sends the message twice. */
  public FaultRule duplicate() {
    return rule(What.DUPLICATE, Duration.ZERO);
  }

  private FaultRule rule(What what, Duration delay) {
    FaultRule rule = new FaultRule(faults, target, new MessageFault(what, delay));
    faults.add(rule);
    return rule;
  }
}
