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
final class DurableCounter {
  private static final List<RRef<DurableCounter>> KEPT = new CopyOnWriteArrayList<>();

  private int count;

  DurableCounter() {}

  static DurableCounter of(int count) {
    DurableCounter counter = new DurableCounter();
    counter.count = count;
    return counter;
  }

  /** Waits for the test before it makes the counter. */
  static DurableCounter slowOf(String signal, int count) {
    Signal.pass(signal);
    return of(count);
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

  synchronized DurableCounter copy() {
    return of(count);
  }

  static int addLocally(RRef<DurableCounter> counter, int amount) {
    return counter.localValue().add(amount);
  }

  static int addThrough(RRef<DurableCounter> counter, int amount) {
    return counter.sync(DurableCounter::add, amount);
  }

  static String keep(RRef<DurableCounter> counter) {
    KEPT.add(counter.keep());
    return Grid.current().worker().name();
  }

  static int addThroughKept(int amount) {
    return KEPT.get(0).sync(DurableCounter::add, amount);
  }

  static int letGo() {
    int kept = KEPT.size();
    KEPT.forEach(RRef::close);
    KEPT.clear();
    return kept;
  }

  /** Creates a durable counter here and returns a reference to it. */
  static RRef<DurableCounter> make(Durability durability, int count) {
    return RRefs.on(Grid.current()).durable(durability).local(of(count));
  }
}
