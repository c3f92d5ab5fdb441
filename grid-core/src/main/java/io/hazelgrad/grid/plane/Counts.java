package io.hazelgrad.grid.plane;

import java.util.concurrent.atomic.LongAdder;

/** Counts what went one way. */
final class Counts {
  private final LongAdder tensors = new LongAdder();
  private final LongAdder bytes = new LongAdder();

  void add(long size) {
    tensors.increment();
    bytes.add(size);
  }

  PlaneFigures.Way read() {
    return new PlaneFigures.Way(tensors.sum(), bytes.sum());
  }
}
