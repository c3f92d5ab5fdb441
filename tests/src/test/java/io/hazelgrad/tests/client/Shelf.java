package io.hazelgrad.tests.client;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Object on a worker that clients hold, and functions that use references to it. */
@RemoteFunctions
final class Shelf {
  private static final Map<String, RRef<Shelf>> KEPT = new ConcurrentHashMap<>();

  private final String label;

  Shelf(String label) {
    this.label = label;
  }

  String label() {
    return label;
  }

  /** Keeps a handle of the called worker's own. */
  static String keep(String name, RRef<Shelf> shelf) {
    KEPT.put(name, shelf.keep());
    return shelf.sync(Shelf::label);
  }

  static String labelOfKept(String name) {
    return KEPT.get(name).sync(Shelf::label);
  }

  static void drop(String name) {
    KEPT.remove(name).close();
  }

  /** Returns a reference to an object of the called worker when the test releases the entry. */
  static RRef<Shelf> lend(String entry) throws InterruptedException {
    var unused = Ledger.hold(entry);
    return RRefs.on(Grid.current()).local(new Shelf(entry));
  }
}
