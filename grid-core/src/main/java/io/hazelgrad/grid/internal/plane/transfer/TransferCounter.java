package io.hazelgrad.grid.internal.plane.transfer;

import io.hazelgrad.grid.plane.PlaneFigures;
import java.util.concurrent.atomic.LongAdder;

/** Counts the tensors that were transferred on one route. */
public final class TransferCounter {
  private final LongAdder tensors = new LongAdder();
  private final LongAdder bytes = new LongAdder();

  public void add(long size) {
    tensors.increment();
    bytes.add(size);
  }

  public PlaneFigures.Traffic read() {
    return new PlaneFigures.Traffic(tensors.sum(), bytes.sum());
  }
}
