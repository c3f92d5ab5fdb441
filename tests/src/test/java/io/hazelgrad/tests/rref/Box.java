package io.hazelgrad.tests.rref;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Status;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Object with a state on a worker, and functions that use references to boxes. */
@RemoteFunctions
final class Box implements AutoCloseable {
  /** Number of closed boxes; all workers are in this JVM. */
  static final AtomicInteger CLOSED = new AtomicInteger();

  /** References that functions left behind for the test. */
  static final List<RRef<Integer>> STASH = new CopyOnWriteArrayList<>();

  static final List<RRef<Box>> BOXES = new CopyOnWriteArrayList<>();

  static final List<CompletableFuture<RRef<Integer>>> LATER = new CopyOnWriteArrayList<>();

  private final AtomicInteger value;

  Box(int value) {
    this.value = new AtomicInteger(value);
  }

  int add(int amount) {
    return value.addAndGet(amount);
  }

  int addAll(List<Integer> amounts) {
    return add(amounts.stream().mapToInt(Integer::intValue).sum());
  }

  int get() {
    return value.get();
  }

  /** Waits for the test, then adds. */
  int slowAdd(String signal) {
    Signal.pass(signal);
    return add(1);
  }

  /** Waits for the test, also if the caller gave up. */
  int stubborn(String signal) {
    Signal.passStubbornly(signal);
    return get();
  }

  int failing(String message) {
    throw new IllegalStateException(message + " at " + value);
  }

  static String typeOf(RRef<Box> box) {
    return box.type();
  }

  Box itself() {
    return this;
  }

  @Override
  public void close() {
    CLOSED.incrementAndGet();
  }

  /** Object whose close() fails. */
  @RemoteFunctions
  static final class Stuck implements AutoCloseable {
    Stuck() {}

    @Override
    public void close() {
      throw new IllegalStateException("stuck");
    }
  }

  // Functions without references.

  static int twice(int x) {
    return 2 * x;
  }

  static double[] doubles(int count) {
    return new double[count];
  }

  static String nothing() {
    return null;
  }

  static List<Integer> numbers(int count) {
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      numbers.add(i);
    }
    return numbers;
  }

  static int failingNumber(String message) {
    throw new IllegalStateException(message);
  }

  static Box failingBox(String message) {
    throw new IllegalStateException(message);
  }

  static Box slowBox(String signal) {
    Signal.pass(signal);
    return new Box(1);
  }

  static int slowNumber(String signal) {
    Signal.pass(signal);
    return 7;
  }

  /** Fails like a function whose own callee was lost. */
  @SuppressWarnings("DoNotCallSuggester") // A remote function.
  static int losesAnother(Box unused) {
    throw new GridException(Status.WORKER_LOST, "worker z has left");
  }

  // Functions that take references.

  static int sum(RRef<Integer> one, RRef<Integer> other) {
    return one.toHere() + other.toHere();
  }

  static int readList(List<RRef<Integer>> refs) {
    return refs.stream().mapToInt(RRef::toHere).sum();
  }

  /** References inside a record, a list and a map. */
  @RemoteValue
  record Bundle(String label, RRef<Integer> one, Map<String, List<RRef<Integer>>> others) {}

  static int readParcel(Bundle bundle) {
    return bundle.one().toHere() + bundle.others().values().stream().mapToInt(Box::readList).sum();
  }

  static Bundle repack(Bundle bundle) {
    return new Bundle("re: " + bundle.label(), bundle.one(), bundle.others());
  }

  static boolean isConfirmed(RRef<Integer> ref) {
    return ref.isConfirmed();
  }

  static int addTo(RRef<Box> box, int amount) {
    return box.sync(Box::add, amount);
  }

  static int addLocally(RRef<Box> box, int amount) {
    return box.localValue().add(amount);
  }

  static int slowRead(RRef<Integer> ref, String signal) {
    Signal.pass(signal);
    return ref.toHere();
  }

  static int addFrom(Box box, RRef<Integer> amount) {
    return box.add(amount.toHere());
  }

  static Function<List<RRef<Integer>>> sameList() {
    return Function.named(Box.class, "itselfAList", List.class);
  }

  static List<RRef<Integer>> itselfAList(List<RRef<Integer>> list) {
    return list;
  }

  static RRef<Integer> same(RRef<Integer> ref) {
    return ref;
  }

  static int hop(RRef<Integer> ref, List<String> route) {
    if (route.isEmpty()) {
      return ref.toHere();
    }
    List<String> rest = List.copyOf(route.subList(1, route.size()));
    return Grid.current().rpc().sync(route.get(0), Box::hop, ref, rest);
  }

  // Functions that create references.

  private static RRefs rrefs() {
    return RRefs.on(Grid.current());
  }

  static RRef<Integer> own(int value) {
    return rrefs().local(value);
  }

  static List<RRef<Box>> ownBoxes(int count) {
    List<RRef<Box>> boxes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      boxes.add(rrefs().local(new Box(i)));
    }
    return boxes;
  }

  static RRef<Integer> on(String worker, int x) {
    return rrefs().remote(worker, Box::twice, x);
  }

  static List<RRef<Integer>> pairOn(String worker, int x) {
    return List.of(on(worker, x), on(worker, x + 1));
  }

  static List<RRef<?>> chainLink(RRef<?> ref) {
    return List.of(ref);
  }

  static Function<List<RRef<?>>> link() {
    return Function.named(Box.class, "chainLink", RRef.class);
  }

  static Function<RRef<?>> pass() {
    return Function.named(Box.class, "same", RRef.class);
  }

  /** Shares a local object with another worker for the first time. */
  static int shareOwn(String worker, int value) {
    return Grid.current().rpc().sync(worker, Box::sum, rrefs().local(value), rrefs().local(1));
  }

  static RRef<Integer> slowOwn(String signal, int value) {
    RRef<Integer> own = own(value);
    Signal.pass(signal);
    return own;
  }

  /** Returns an open reference and a closed one, which cannot be sent. */
  static List<RRef<Integer>> oneClosed(RRef<Integer> good) {
    RRef<Integer> closed = own(1);
    closed.close();
    return List.of(good, closed);
  }

  // Functions that leave references behind.

  static int stash(RRef<Integer> ref) {
    STASH.add(ref);
    return ref.toHere();
  }

  /** Takes a handle that the test closes. */
  static String takeBox(RRef<Box> box) {
    BOXES.add(box.keep());
    return Grid.current().worker().name();
  }

  static int stashKept(RRef<Integer> ref) {
    STASH.add(ref.keep());
    return ref.toHere();
  }

  static int stashMade(String worker, int x) {
    RRef<Integer> made = on(worker, x);
    STASH.add(made);
    return made.toHere();
  }

  static int stashReceived(String worker, int x) {
    RRef<Integer> received = Grid.current().rpc().sync(worker, Box::own, x);
    STASH.add(received);
    return received.toHere();
  }

  static int askForLater(String worker, String signal) {
    LATER.add(Grid.current().rpc().async(worker, Box::slowOwn, signal, 5));
    return 0;
  }
}
