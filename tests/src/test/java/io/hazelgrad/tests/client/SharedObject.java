package io.hazelgrad.tests.client;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Object on a worker that clients hold, and functions that use references to it. */
@RemoteFunctions
final class SharedObject {
  private static final Map<String, RRef<SharedObject>> KEPT = new ConcurrentHashMap<>();

  private final String label;

  SharedObject(String label) {
    this.label = label;
  }

  String label() {
    return label;
  }

  /** Keeps a handle of the called worker's own. */
  static String keep(String name, RRef<SharedObject> shelf) {
    KEPT.put(name, shelf.keep());
    return shelf.sync(SharedObject::label);
  }

  static String labelOfKept(String name) {
    return KEPT.get(name).sync(SharedObject::label);
  }

  static void drop(String name) {
    KEPT.remove(name).close();
  }

  /** Returns a reference to an object of the called worker when the test releases the entry. */
  static RRef<SharedObject> lend(String entry) throws InterruptedException {
    var unused = CountedFunctions.hold(entry);
    return RRefs.on(Grid.current()).local(new SharedObject(entry));
  }
}
