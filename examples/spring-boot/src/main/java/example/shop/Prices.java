package example.shop;

import io.hazelgrad.grid.RemoteFunctions;

/** The prices, which every worker can be asked for. */
@RemoteFunctions
class Prices {
  private Prices() {}

  static int price(String thing) {
    return 10 * thing.length();
  }
}
