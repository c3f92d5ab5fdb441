package io.hazelgrad.grid.collective;

/** A way to combine the elements that several workers have at the same place. */
public enum Reduction {
  /** The sum. Integers wrap around. */
  SUM,
  /** The sum divided by the number of workers; for floating-point elements only. */
  MEAN,
  /** The smallest element; NaN if one of them is NaN. */
  MIN,
  /** The largest element; NaN if one of them is NaN. */
  MAX
}
