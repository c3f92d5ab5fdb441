package io.hazelgrad.bench;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.bench.inner.HazelcastOperations;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.metrics.Metrics;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Functions that the benchmark calls on the other worker. */
@RemoteFunctions
public final class BenchFunctions {
  /** What functions hold; it is not measured by those that hold nothing. */
  private static final Queue<Object> KEPT = new ConcurrentLinkedQueue<>();

  private static final AtomicReference<@Nullable Pauses> WATCHED = new AtomicReference<>();

  static final Function<Variable> NESTED = Function.of(BenchFunctions::nested);

  private BenchFunctions() {}

  /** Does nothing. */
  public static void noop() {}

  /** Adds. */
  public static Variable add(Variable a, Variable b) {
    return a.add(b);
  }

  /**
   * Adds {@code b} here, then on the other worker, and so on.
   *
   * @param depth how many calls to make, each within the last
   * @param workers the names of this worker and the other
   */
  public static Variable nested(Variable x, Variable b, int depth, List<String> workers) {
    if (depth == 0) {
      return x;
    }
    String there = workers.get(1);
    List<String> turned = List.of(there, workers.get(0));
    return Grid.current().rpc().sync(there, NESTED, x.add(b), b, depth - 1, turned);
  }

  /** Takes a tensor, and says that it is done with it. */
  public static void take(Tensor tensor) {
    tensor.release();
  }

  /** Takes a reference and does nothing with it. */
  public static void takeReference(RRef<Variable> rref) {}

  /** Takes a reference and fetches what it refers to. */
  public static Variable fetch(RRef<Variable> rref) {
    return rref.toHere();
  }

  /** Makes references to small objects of this worker, and keeps them until {@link #letGo}. */
  public static void holdReferences(int n) {
    RRefs rrefs = RRefs.on(Grid.current());
    for (int i = 0; i < n; i++) {
      KEPT.add(rrefs.local(small()).keep());
    }
  }

  /** Makes references to small objects of another worker, and keeps them until {@link #letGo}. */
  public static void holdReferencesOn(String owner, int n) {
    RRefs rrefs = RRefs.on(Grid.current());
    for (int i = 0; i < n; i++) {
      RRef<Variable> made = rrefs.remote(owner, BenchFunctions::small);
      made.creation().join();
      KEPT.add(made.keep());
    }
  }

  /** Gives a stage that never ends. */
  public static CompletableFuture<Variable> never() {
    return new CompletableFuture<>();
  }

  /** Waits for an object many times; the stage ends when all waits have, well or not. */
  public static CompletableFuture<Integer> awaitOften(RRef<Variable> rref, int times) {
    CompletableFuture<?>[] waits = new CompletableFuture<?>[times];
    for (int i = 0; i < times; i++) {
      waits[i] = rref.toHereAsync();
    }
    return CompletableFuture.allOf(waits).handle((nothing, failure) -> times);
  }

  /** Returns how many calls this worker serves, this one included. */
  public static int activeCalls() {
    return Grid.current().activeCalls();
  }

  /** Makes small objects, and keeps them until {@link #letGo}. */
  public static void holdPlain(int n) {
    for (int i = 0; i < n; i++) {
      KEPT.add(small());
    }
  }

  /** Makes a tensor of one element. */
  public static Variable small() {
    return Variable.of(Tensor.full(DType.FLOAT32, 1, 1));
  }

  /** Lets go of all that is kept here. */
  public static void letGo() {
    for (Object kept = KEPT.poll(); kept != null; kept = KEPT.poll()) {
      if (kept instanceof RRef<?> rref) {
        rref.close();
      }
    }
  }

  /** Returns how many objects this worker owns. */
  public static int objects() {
    return RRefs.on(Grid.current()).objectCount();
  }

  /** Returns how many forks this worker has that the registry has not seen the end of. */
  public static long forks() {
    Map<String, Long> figures = Metrics.of(Grid.current()).figures();
    return figures.getOrDefault("rref.num_forks", 0L)
        + figures.getOrDefault("rref.num_releasing", 0L);
  }

  /** Returns the bytes that this process uses after a full collection, see {@link MemoryUsage}. */
  public static long usedBytes() {
    return MemoryUsage.used();
  }

  /** Returns how long the compilers of this JVM have worked. */
  public static long compiledMillis() {
    return WarmUp.ownCompiledMillis();
  }

  /** Returns how many bytes the threads of this process have allocated. */
  public static long allocatedBytes() {
    return MemoryUsage.allocated();
  }

  /** Returns how many operations of Hazelcast this worker has run. */
  public static long operations() {
    return HazelcastOperations.count(Grid.current());
  }

  /** Watches this process's garbage collections from now on, until {@link #pauses}. */
  public static void watchPauses() {
    Pauses before = WATCHED.getAndSet(Pauses.watch());
    if (before != null) {
      before.close();
    }
  }

  /** Returns what {@link Pauses#seen} says, and ends the watch. */
  static Pauses.Seen pauses() {
    Pauses watched = WATCHED.getAndSet(null);
    if (watched == null) {
      throw new IllegalStateException("this process is not watched");
    }
    watched.close();
    return watched.seen();
  }

  /** Returns the tensor that it gets, and says that it is done with it then. */
  public static Tensor echo(Tensor tensor) {
    return tensor.releaseWhenSent();
  }
}
