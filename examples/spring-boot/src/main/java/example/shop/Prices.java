package example.shop;

import io.hazelgrad.grid.RemoteFunctions;

/** What every worker can be asked. */
@RemoteFunctions
class Prices {
  private Prices() {}

  static int price(String thing) {
    return 10 * thing.length();
  }
}
