package io.hazelgrad.tests.rref;

/** Has functions that nobody may call from afar. */
final class NotAllowed {
  private NotAllowed() {}

  static int number(int x) {
    return x;
  }
}
