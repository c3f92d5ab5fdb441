package io.hazelgrad.tests.guides;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;

@RemoteFunctions
class Till {
  private int sum;

  static String where() {
    return Grid.current().worker().name();
  }

  synchronized int add(int cents) {
    sum += cents;
    return sum;
  }
}
