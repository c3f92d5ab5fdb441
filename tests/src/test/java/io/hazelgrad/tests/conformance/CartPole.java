package io.hazelgrad.tests.conformance;

import java.util.Random;

/**
 * Simulation of a cart on a track with a pole on it. Pushes to the left or right keep the pole
 * upright. The equations are those of Barto, Sutton and Anderson (1983), without friction, in steps
 * of 20 ms.
 *
 * <p>Threads: not safe.
 */
final class CartPole {
  private static final double STEP_SECONDS = 0.02;
  private static final double GRAVITY = 9.8;
  private static final double POLE_KILOGRAMS = 0.1;
  private static final double TOTAL_KILOGRAMS = 1 + POLE_KILOGRAMS;

  /** From the joint to the pole's centre of mass. */
  private static final double POLE_METRES = 0.5;

  private static final double PUSH_NEWTONS = 10;
  private static final double TRACK_METRES = 2.4;
  private static final double MOST_RADIANS = Math.toRadians(12);
  private static final double BEGIN_WITHIN = 0.05;

  private final Random random;
  private double position;
  private double speed;
  private double angle;
  private double turning;

  CartPole(long seed) {
    random = new Random(seed);
  }

  /** Starts near the middle and nearly upright; returns the state. */
  double[] reset() {
    position = beginning();
    speed = beginning();
    angle = beginning();
    turning = beginning();
    return state();
  }

  private double beginning() {
    return BEGIN_WITHIN * (2 * random.nextDouble() - 1);
  }

  /** Pushes for one step, left by 0 and right by 1; returns the state. */
  double[] push(int action) {
    double force = action == 1 ? PUSH_NEWTONS : -PUSH_NEWTONS;
    double moment = POLE_KILOGRAMS * POLE_METRES;
    double sin = Math.sin(angle);
    double cos = Math.cos(angle);
    double pushed = (force + moment * turning * turning * sin) / TOTAL_KILOGRAMS;
    double turningMore =
        (GRAVITY * sin - cos * pushed)
            / (POLE_METRES * (4.0 / 3 - POLE_KILOGRAMS * cos * cos / TOTAL_KILOGRAMS));
    double speedMore = pushed - moment * turningMore * cos / TOTAL_KILOGRAMS;
    position += STEP_SECONDS * speed;
    speed += STEP_SECONDS * speedMore;
    angle += STEP_SECONDS * turning;
    turning += STEP_SECONDS * turningMore;
    return state();
  }

  /** Returns whether the pole has fallen or the cart has left its track. */
  boolean isOver() {
    return Math.abs(position) > TRACK_METRES || Math.abs(angle) > MOST_RADIANS;
  }

  private double[] state() {
    return new double[] {position, speed, angle, turning};
  }
}
