package io.hazelgrad.autograd.optim;

import io.hazelgrad.grid.Device;

/** Optimizers on the CPU, with what torch gives. */
class GoldenOptimTest extends GoldenOptimCases {
  GoldenOptimTest() {
    super(Device.CPU);
  }
}
