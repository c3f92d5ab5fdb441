package io.hazelgrad.autograd.ops;

import io.hazelgrad.autograd.internal.backend.CpuBackend;
import io.hazelgrad.grid.Device;

/** All operations on the CPU, with outputs and gradients of torch. */
class GoldenTest extends GoldenCases {
  GoldenTest() {
    super(new CpuBackend(), Device.CPU);
  }
}
