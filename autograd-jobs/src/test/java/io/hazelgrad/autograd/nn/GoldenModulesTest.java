package io.hazelgrad.autograd.nn;

import io.hazelgrad.grid.Device;

/** Modules on the CPU, with what torch gives. */
class GoldenModulesTest extends GoldenModuleCases {
  GoldenModulesTest() {
    super(Device.CPU);
  }
}
