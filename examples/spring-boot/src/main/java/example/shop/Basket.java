package example.shop;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import java.util.ArrayList;
import java.util.List;

/** Lives on one worker; others hold references to it. */
@RemoteFunctions
class Basket {
  private final List<String> things = new ArrayList<>();

  synchronized List<String> put(String thing) {
    things.add(thing + " on " + Grid.current().worker().name());
    return List.copyOf(things);
  }
}
