package io.hazelgrad.cuda.internal;

import io.hazelgrad.autograd.optim.GoldenOptimCases;

/** Optimizers of parameters on a GPU, with what torch gives. */
class GoldenOptimOnGpuTest extends GoldenOptimCases {
  GoldenOptimOnGpuTest() {
    super(TestGpu.open().device());
  }
}
