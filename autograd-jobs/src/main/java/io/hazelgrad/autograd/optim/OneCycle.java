package io.hazelgrad.autograd.optim;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;

/**
 * One cycle of learning rates, torch's OneCycleLR without its cycle of momentum: from {@code
 * maxRate / divFactor} up to {@code maxRate}, then down to a small part of where it began. The
 * optimizer's own learning rate plays no part.
 *
 * @param maxRate the greatest learning rate
 * @param totalSteps how many steps the cycle has; a step beyond is BAD_ARGUMENT
 * @param upPart which part of the steps goes up
 * @param divFactor how much smaller than the greatest the first learning rate is
 * @param finalDivFactor how much smaller than the first the last one is
 * @param linear whether it goes in lines in place of half cosines
 * @param threePhase whether it first goes down to where it began, in as many steps as it went up
 */
public record OneCycle(
    double maxRate,
    long totalSteps,
    double upPart,
    double divFactor,
    double finalDivFactor,
    boolean linear,
    boolean threePhase)
    implements Schedule {
  /** Checks the numbers: BAD_ARGUMENT. */
  public OneCycle {
    NumberChecks.notNegative("maxRate", maxRate);
    NumberChecks.require(totalSteps >= 1, "totalSteps", (double) totalSteps, "at least 1");
    NumberChecks.upToOne("upPart", upPart);
    NumberChecks.positive("divFactor", divFactor);
    NumberChecks.positive("finalDivFactor", finalDivFactor);
  }

  /** Returns torch's defaults: up for 0.3 of the steps, divisors 25 and 10000, two phases. */
  public static OneCycle of(double maxRate, long totalSteps) {
    return new OneCycle(maxRate, totalSteps, 0.3, 25, 1e4, false, false);
  }

  /** Returns the same with another part of the steps that goes up. */
  public OneCycle withUpPart(double part) {
    return new OneCycle(maxRate, totalSteps, part, divFactor, finalDivFactor, linear, threePhase);
  }

  /** Returns the same with other divisors. */
  public OneCycle withDivFactors(double first, double last) {
    return new OneCycle(maxRate, totalSteps, upPart, first, last, linear, threePhase);
  }

  /** Returns the same in lines or half cosines. */
  public OneCycle withLinear(boolean lines) {
    return new OneCycle(maxRate, totalSteps, upPart, divFactor, finalDivFactor, lines, threePhase);
  }

  /** Returns the same in three phases or two. */
  public OneCycle withThreePhase(boolean three) {
    return new OneCycle(maxRate, totalSteps, upPart, divFactor, finalDivFactor, linear, three);
  }

  @Override
  public double learningRate(double base, long step) {
    if (step > totalSteps) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "the cycle has " + totalSteps + " steps, so there is no learning rate for step " + step);
    }
    double at = (double) step;
    double total = (double) totalSteps;
    double first = maxRate / divFactor;
    double last = first / finalDivFactor;
    double up = upPart * total - 1;
    if (at <= up) {
      return between(first, maxRate, at / up);
    }
    double down = threePhase ? 2 * upPart * total - 2 : total - 1;
    if (!threePhase) {
      return between(maxRate, last, (at - up) / (down - up));
    }
    return at <= down
        ? between(maxRate, first, (at - up) / (down - up))
        : between(first, last, (at - down) / (total - 1 - down));
  }

  private double between(double start, double end, double part) {
    return linear
        ? (end - start) * part + start
        : end + (start - end) / 2 * (Math.cos(Math.PI * part) + 1);
  }
}
