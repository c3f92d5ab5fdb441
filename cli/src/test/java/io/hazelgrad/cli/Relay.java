package io.hazelgrad.cli;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;

/** What the workers of these tests call. */
@RemoteFunctions
final class Relay {
  private Relay() {}

  /** Returns the name of the called worker. */
  static String name() {
    return Grid.current().worker().name();
  }

  /** Returns the name of another worker, as the called one hears it from there. */
  static String nameOf(String other) {
    return Grid.current().rpc().sync(other, Relay::name);
  }

  /** Fails. */
  static String failing() {
    throw new IllegalStateException("as asked");
  }
}
