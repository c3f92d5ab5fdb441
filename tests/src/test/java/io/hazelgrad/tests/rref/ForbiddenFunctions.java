package io.hazelgrad.tests.rref;

/** Class with functions that are not allowed to be called remotely. */
final class ForbiddenFunctions {
  private ForbiddenFunctions() {}

  static int number(int x) {
    return x;
  }
}
