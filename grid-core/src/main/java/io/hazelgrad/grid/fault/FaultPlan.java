package io.hazelgrad.grid.fault;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.MessageFault;
import io.hazelgrad.grid.spi.MessageFault.What;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A rule in the making: which messages, then what shall happen to them. The last step, such as
 * {@link #fail}, puts the rule in force. Immutable.
 */
public final class FaultPlan {
  /** Which messages. */
  record Target(
      @Nullable String kind,
      @Nullable String worker,
      long first,
      int attempts,
      double probability,
      long seed) {}

  private final Faults home;
  private final Target target;

  FaultPlan(Faults home, @Nullable String kind) {
    this(home, new Target(kind, null, Long.MAX_VALUE, Integer.MAX_VALUE, 1, 0));
  }

  private FaultPlan(Faults home, Target target) {
    this.home = home;
    this.target = target;
  }

  /**
   * Only messages to this worker. Messages that go to no one worker, such as {@code rref.claim},
   * are then not meant.
   */
  public FaultPlan to(String worker) {
    return new FaultPlan(
        home,
        new Target(
            target.kind, worker, target.first, target.attempts, target.probability, target.seed));
  }

  /** Only so many messages, the first that come. */
  public FaultPlan first(long count) {
    return new FaultPlan(
        home,
        new Target(
            target.kind,
            target.worker,
            atLeastOne("first", count),
            target.attempts,
            target.probability,
            target.seed));
  }

  /** Each message, but only the first times that it is sent; control messages are sent again. */
  public FaultPlan firstAttempts(int count) {
    return new FaultPlan(
        home,
        new Target(
            target.kind,
            target.worker,
            target.first,
            (int) atLeastOne("firstAttempts", count),
            target.probability,
            target.seed));
  }

  /** Only some messages, by chance; the same seed meets the same messages in a row of them. */
  public FaultPlan sometimes(double probability, long seed) {
    if (!(probability > 0 && probability <= 1)) {
      throw new GridException(
          Status.BAD_ARGUMENT, "a probability is above 0 and at most 1: " + probability);
    }
    return new FaultPlan(
        home,
        new Target(target.kind, target.worker, target.first, target.attempts, probability, seed));
  }

  private static long atLeastOne(String what, long count) {
    if (count < 1) {
      throw new GridException(Status.BAD_ARGUMENT, what + " must be at least 1: " + count);
    }
    return count;
  }

  /** Sending fails at once, with INTENTIONAL_FAILURE; the message does not leave. */
  public FaultRule fail() {
    return rule(What.FAIL, Duration.ZERO);
  }

  /** The message leaves so much later. */
  public FaultRule delay(Duration pause) {
    if (pause.isNegative()) {
      throw new GridException(Status.BAD_ARGUMENT, "a delay must not be negative: " + pause);
    }
    return rule(What.DELAY, pause);
  }

  /**
   * The message does not leave, and its sender hears nothing: a call ends by its deadline, a
   * control message counts as lost after one second.
   */
  public FaultRule dropRequest() {
    return rule(What.DROP_REQUEST, Duration.ZERO);
  }

  /** The message arrives and does its work, but the sender does not hear of it. */
  public FaultRule dropReply() {
    return rule(What.DROP_REPLY, Duration.ZERO);
  }

  /** The message is sent twice. */
  public FaultRule duplicate() {
    return rule(What.DUPLICATE, Duration.ZERO);
  }

  private FaultRule rule(What what, Duration delay) {
    FaultRule rule = new FaultRule(home, target, new MessageFault(what, delay));
    home.add(rule);
    return rule;
  }
}
