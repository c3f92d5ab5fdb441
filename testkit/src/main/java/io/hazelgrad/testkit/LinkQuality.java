package io.hazelgrad.testkit;

import java.time.Duration;

/**
 * The quality of one direction between two hosts of a {@link JvmClusterBuilder#hosts} cluster.
 *
 * @param isCut whether no packet arrives; nobody is told
 * @param loss the part of the packets that is lost, 0 to 1
 * @param delay the time that each packet takes
 * @param jitter the most by which a packet takes longer; packets then overtake each other
 * @param bytesPerSecond the rate, or 0 for no limit; packets that would wait over 200 ms are lost
 */
public record LinkQuality(
    boolean isCut, double loss, Duration delay, Duration jitter, long bytesPerSecond) {
  /** The quality of a new link. */
  public static final LinkQuality PERFECT =
      new LinkQuality(false, 0, Duration.ZERO, Duration.ZERO, 0);

  /** The quality of a link that is cut. */
  public static final LinkQuality CUT = new LinkQuality(true, 0, Duration.ZERO, Duration.ZERO, 0);

  /** Checks the ranges. */
  public LinkQuality {
    if (!(loss >= 0 && loss <= 1)) {
      throw new IllegalArgumentException("loss must be between 0 and 1: " + loss);
    }
    if (delay.isNegative() || jitter.isNegative() || bytesPerSecond < 0) {
      throw new IllegalArgumentException(
          "delay, jitter and rate must not be negative: %s, %s, %s"
              .formatted(delay, jitter, bytesPerSecond));
    }
  }

  /** Returns a copy with this part of the packets lost. */
  public LinkQuality withLoss(double part) {
    return new LinkQuality(isCut, part, delay, jitter, bytesPerSecond);
  }

  /** Returns a copy with this delay, and a random addition to it. */
  public LinkQuality withDelay(Duration each, Duration more) {
    return new LinkQuality(isCut, loss, each, more, bytesPerSecond);
  }

  /** Returns a copy with this rate. */
  public LinkQuality withRate(long bytes) {
    return new LinkQuality(isCut, loss, delay, jitter, bytes);
  }
}
