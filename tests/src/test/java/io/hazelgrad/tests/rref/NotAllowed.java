package io.hazelgrad.tests.rref;

/** Class with functions that are not allowed to be called remotely. */
final class NotAllowed {
  private NotAllowed() {}

  static int number(int x) {
    return x;
  }
}
