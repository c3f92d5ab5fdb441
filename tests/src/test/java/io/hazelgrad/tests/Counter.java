package io.hazelgrad.tests;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** An object that lives on a worker, and what workers do with references to it. */
@RemoteFunctions
final class Counter {
  private static final List<RRef<Counter>> KEPT = new CopyOnWriteArrayList<>();

  private static final List<CompletableFuture<String>> UNANSWERED = new CopyOnWriteArrayList<>();

  private final AtomicInteger count = new AtomicInteger();

  Counter() {}

  int add(int amount) {
    return count.addAndGet(amount);
  }

  /** A counter that can be stored. */
  @RemoteFunctions
  @RemoteValue
  static final class Kept {
    private int count;

    Kept() {}

    synchronized int add(int amount) {
      count += amount;
      return count;
    }
  }

  static Counter failing() {
    throw new IllegalStateException("no counter today");
  }

  static String whoAmI() {
    return Grid.current().worker().name();
  }

  /** Returns the id of the worker that a called function finds itself on. */
  static long myId() {
    return Grid.current().worker().id();
  }

  static Object echo(Object value) {
    return value;
  }

  static String askOther(String worker) {
    return whoAmI() + ">" + Grid.current().rpc().sync(worker, Counter::whoAmI);
  }

  /** An answer that does not come before the end of waiting. */
  static CompletableFuture<String> never() {
    CompletableFuture<String> answer = new CompletableFuture<>();
    UNANSWERED.add(answer);
    return answer;
  }

  /** Returns how much of the heap is in use here, without garbage. */
  static long usedBytes() {
    System.gc();
    System.gc(); // What the first one finalized or cleaned.
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  static int waiting() {
    return UNANSWERED.size();
  }

  /** Ends all waiting here; returns how many waited. */
  static int endWaiting() {
    int waiting = UNANSWERED.size();
    UNANSWERED.forEach(answer -> answer.complete("at last"));
    UNANSWERED.clear();
    return waiting;
  }

  /** For a user: counts by a call to the owner. */
  static int addThrough(RRef<Counter> counter, int amount) {
    return counter.sync(Counter::add, amount);
  }

  /** For the owner: counts on the object itself. */
  static int addLocally(RRef<Counter> counter, int amount) {
    return counter.localValue().add(amount);
  }

  /** Hands the reference on, to a worker that counts. */
  static int passOn(RRef<Counter> counter, String worker, int amount) {
    return Grid.current().rpc().sync(worker, Counter::addThrough, counter, amount);
  }

  /** Makes a counter here and lets another worker count. */
  static int shareOwn(String worker, int amount) {
    try (RRef<Counter> own = RRefs.on(Grid.current()).local(new Counter())) {
      return Grid.current().rpc().sync(worker, Counter::addThrough, own, amount);
    }
  }

  /** Makes a counter here and returns a reference to it. */
  static RRef<Counter> make() {
    return RRefs.on(Grid.current()).local(new Counter());
  }

  /** Makes a counter on another worker and returns a reference to it. */
  static RRef<Counter> makeOn(String worker) {
    return RRefs.on(Grid.current()).remote(worker, Counter::new);
  }

  /** Returns the very reference that it was given. */
  static RRef<Counter> giveBack(RRef<Counter> counter) {
    return counter;
  }

  static int keep(RRef<Counter> counter) {
    KEPT.add(counter.keep());
    return KEPT.size();
  }

  static int letGo() {
    int kept = KEPT.size();
    KEPT.forEach(RRef::close);
    KEPT.clear();
    return kept;
  }
}
