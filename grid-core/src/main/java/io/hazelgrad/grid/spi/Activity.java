package io.hazelgrad.grid.spi;

/**
 * The calls under way at a worker, without those by which workers meet and leave.
 *
 * @param begun the number of calls that were ever made here
 * @param settled the number of them that have ended, with their callbacks
 * @param serving the number of calls to this worker that have not ended here
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
