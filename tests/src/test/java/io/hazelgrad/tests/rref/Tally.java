package io.hazelgrad.tests.rref;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Counter that can be stored, and functions that use durable references to it. */
@RemoteFunctions
@RemoteValue
final class Tally {
  private static final List<RRef<Tally>> KEPT = new CopyOnWriteArrayList<>();

  private int count;

  Tally() {}

  static Tally of(int count) {
    Tally tally = new Tally();
    tally.count = count;
    return tally;
  }

  synchronized int add(int amount) {
    count += amount;
    return count;
  }

  synchronized int get() {
    return count;
  }

  /** Counts, and then waits for the test. */
  int slowAdd(String signal) {
    int now = add(1);
    Signal.pass(signal);
    return now;
  }

  synchronized int addAndFail(int amount) {
    count += amount;
    throw new IllegalStateException("failed at " + count);
  }

  synchronized Tally copy() {
    return of(count);
  }

  static int addLocally(RRef<Tally> tally, int amount) {
    return tally.localValue().add(amount);
  }

  static int addThrough(RRef<Tally> tally, int amount) {
    return tally.sync(Tally::add, amount);
  }

  static String keep(RRef<Tally> tally) {
    KEPT.add(tally.keep());
    return Grid.current().worker().name();
  }

  static int addThroughKept(int amount) {
    return KEPT.get(0).sync(Tally::add, amount);
  }

  static int letGo() {
    int kept = KEPT.size();
    KEPT.forEach(RRef::close);
    KEPT.clear();
    return kept;
  }

  /** Creates a durable tally here and returns a reference to it. */
  static RRef<Tally> make(Durability durability, int count) {
    return RRefs.on(Grid.current()).durable(durability).local(of(count));
  }
}
