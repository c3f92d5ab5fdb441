package io.hazelgrad.cuda.internal;

import io.hazelgrad.autograd.ops.GoldenCases;

/** All operations on a GPU, with outputs and gradients of torch. */
class GoldenOnGpuTest extends GoldenCases {
  GoldenOnGpuTest() {
    super(TestGpu.backend(), TestGpu.DEVICE);
  }
}
