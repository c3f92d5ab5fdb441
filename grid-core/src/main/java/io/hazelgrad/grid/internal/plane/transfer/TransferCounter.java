package io.hazelgrad.grid.internal.plane.transfer;

import java.util.concurrent.atomic.LongAdder;

/** Counts what went one way. */
public final class TransferCounter {
  private final LongAdder tensors = new LongAdder();
  private final LongAdder bytes = new LongAdder();

  public void add(long size) {
    tensors.increment();
    bytes.add(size);
  }

  public PlaneFigures.Way read() {
    return new PlaneFigures.Way(tensors.sum(), bytes.sum());
  }
}
