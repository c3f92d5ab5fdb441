package io.hazelgrad.grid.spi;

/**
 * The calls under way at a worker. The calls by which workers meet and leave are not counted.
 *
 * @param begun how many calls were made here, ever
 * @param settled how many of them have ended, and with them what runs when they end
 * @param serving how many calls to this worker have not ended here
 */
public record Activity(long begun, long settled, int serving) {
  /** Returns how many of the calls made here have not ended, with what runs at their end. */
  public long outstanding() {
    return begun - settled;
  }

  /** Returns whether nothing is under way. */
  public boolean isQuiet() {
    return begun == settled && serving == 0;
  }
}
