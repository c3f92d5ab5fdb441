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

/** Object on a worker that counts, and functions that use references to it. */
@RemoteFunctions
public final class Counter {
  private static final List<RRef<Counter>> KEPT = new CopyOnWriteArrayList<>();

  private static final List<CompletableFuture<String>> UNANSWERED = new CopyOnWriteArrayList<>();

  private final AtomicInteger count = new AtomicInteger();

  public Counter() {}

  public int add(int amount) {
    return count.addAndGet(amount);
  }

  /** Counter that can be stored. */
  @RemoteFunctions
  @RemoteValue
  public static final class Kept {
    private int count;

    public Kept() {}

    public synchronized int add(int amount) {
      count += amount;
      return count;
    }
  }

  public static Counter failing() {
    throw new IllegalStateException("no counter today");
  }

  public static String whoAmI() {
    return Grid.current().worker().name();
  }

  /** Returns the id of the called worker. */
  public static long myId() {
    return Grid.current().worker().id();
  }

  public static Object echo(Object value) {
    return value;
  }

  public static String askOther(String worker) {
    return whoAmI() + ">" + Grid.current().rpc().sync(worker, Counter::whoAmI);
  }

  /** Returns a stage that completes only when the test ends all waiting. */
  public static CompletableFuture<String> never() {
    CompletableFuture<String> answer = new CompletableFuture<>();
    UNANSWERED.add(answer);
    return answer;
  }

  /** Returns the bytes of heap in use here, after a garbage collection. */
  public static long usedBytes() {
    System.gc();
    System.gc(); // A second collection frees objects that the first one finalized or cleaned.
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  public static int waiting() {
    return UNANSWERED.size();
  }

  /** Ends all waiting here; returns the number of waiting calls. */
  public static int endWaiting() {
    int waiting = UNANSWERED.size();
    UNANSWERED.forEach(answer -> answer.complete("at last"));
    UNANSWERED.clear();
    return waiting;
  }

  /** Counts by a call to the owner. */
  public static int addThrough(RRef<Counter> counter, int amount) {
    return counter.sync(Counter::add, amount);
  }

  /** Counts on the object itself, on its owner. */
  public static int addLocally(RRef<Counter> counter, int amount) {
    return counter.localValue().add(amount);
  }

  /** Sends the reference on to a worker that counts. */
  public static int passOn(RRef<Counter> counter, String worker, int amount) {
    return Grid.current().rpc().sync(worker, Counter::addThrough, counter, amount);
  }

  /** Creates a counter here and makes another worker count. */
  public static int shareOwn(String worker, int amount) {
    try (RRef<Counter> own = RRefs.on(Grid.current()).local(new Counter())) {
      return Grid.current().rpc().sync(worker, Counter::addThrough, own, amount);
    }
  }

  /** Creates a counter here and returns a reference to it. */
  public static RRef<Counter> make() {
    return RRefs.on(Grid.current()).local(new Counter());
  }

  /** Creates a counter on another worker and returns a reference to it. */
  public static RRef<Counter> makeOn(String worker) {
    return RRefs.on(Grid.current()).remote(worker, Counter::new);
  }

  /** Returns the reference that it received. */
  public static RRef<Counter> giveBack(RRef<Counter> counter) {
    return counter;
  }

  public static int keep(RRef<Counter> counter) {
    KEPT.add(counter.keep());
    return KEPT.size();
  }

  public static int letGo() {
    int kept = KEPT.size();
    KEPT.forEach(RRef::close);
    KEPT.clear();
    return kept;
  }
}
