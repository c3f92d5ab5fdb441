package io.hazelgrad.autograd.nn;

/** Checks the arguments of module constructors. */
final class ModuleChecks {
  private ModuleChecks() {}

  static void atLeast(String name, int value, int least) {
    if (value < least) {
      throw Module.bad(name + "=" + value + " must be at least " + least);
    }
  }

  static void probability(String name, double value) {
    if (!(value >= 0 && value <= 1)) {
      throw Module.bad(name + "=" + value + " is not within [0, 1]");
    }
  }
}
