package io.hazelgrad.cuda.internal;

import io.hazelgrad.autograd.nn.GoldenModuleCases;

/** Modules on a GPU, with what torch gives. */
class GoldenModulesOnGpuTest extends GoldenModuleCases {
  GoldenModulesOnGpuTest() {
    super(TestGpu.open().device());
  }
}
