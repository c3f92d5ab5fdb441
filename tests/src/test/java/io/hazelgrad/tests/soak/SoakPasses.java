package io.hazelgrad.tests.soak;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.RemoteFunctions;

/** Functions of the soak's backward passes. */
@RemoteFunctions
final class SoakPasses {
  private SoakPasses() {}

  static Variable square(Variable x) {
    return x.mul(x);
  }
}
