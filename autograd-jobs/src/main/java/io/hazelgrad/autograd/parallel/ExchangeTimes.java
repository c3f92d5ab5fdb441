package io.hazelgrad.autograd.parallel;

/**
 * The time of exchanges of gradients on one worker, without the part that ran beside the backward
 * pass.
 *
 * @param waitingNanos the time in which other workers were not ready
 * @param transferNanos the time in which gradients travelled and were added up
 */
public record ExchangeTimes(long waitingNanos, long transferNanos) {
  /** The times before the first exchange. */
  public static final ExchangeTimes NONE = new ExchangeTimes(0, 0);

  /**
   * Returns the sum of these times and of one more exchange. A round that began before the exchange
   * may have waited for longer than the exchange took.
   */
  public ExchangeTimes plus(long nanos, long nanosWaited) {
    long waiting = Math.min(nanos, nanosWaited);
    return new ExchangeTimes(waitingNanos + waiting, transferNanos + nanos - waiting);
  }
}
