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
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

/** The remote functions that the benchmarks call. */
@RemoteFunctions
public final class BenchFunctions {
  /** The objects that the functions {@code hold...} keep until {@link #letGo}. */
  private static final Queue<Object> KEPT = new ConcurrentLinkedQueue<>();

  static final Function<Variable> NESTED = Function.of(BenchFunctions::nested);

  private BenchFunctions() {}

  /** Does nothing. */
  public static void noop() {}

  /** Returns its argument. */
  public static byte[] echoBytes(byte[] bytes) {
    return bytes;
  }

  /** Adds two variables. */
  public static Variable add(Variable a, Variable b) {
    return a.add(b);
  }

  /**
   * Adds {@code b} on the two workers by turns, by nested calls.
   *
   * @param depth the number of nested calls
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

  /** Takes a tensor and releases it. */
  public static void take(Tensor tensor) {
    tensor.release();
  }

  /** Takes a reference and does nothing. */
  public static void takeReference(RRef<Variable> rref) {}

  /** Takes a reference and fetches its object. */
  public static Variable fetch(RRef<Variable> rref) {
    return rref.toHere();
  }

  /** Creates references to small objects of this worker and keeps them until {@link #letGo}. */
  public static void holdReferences(int n) {
    RRefs rrefs = RRefs.on(Grid.current());
    for (int i = 0; i < n; i++) {
      KEPT.add(rrefs.local(small()).keep());
    }
  }

  /** Creates references to small objects of another worker and keeps them until {@link #letGo}. */
  public static void holdReferencesOn(String owner, int n) {
    RRefs rrefs = RRefs.on(Grid.current());
    for (int i = 0; i < n; i++) {
      RRef<Variable> made = rrefs.remote(owner, BenchFunctions::small);
      made.creation().join();
      KEPT.add(made.keep());
    }
  }

  /** Returns a stage that never completes. */
  public static CompletableFuture<Variable> never() {
    return new CompletableFuture<>();
  }

  /** Waits for an object many times; the stage completes when all waits have ended or failed. */
  public static CompletableFuture<Integer> awaitOften(RRef<Variable> rref, int times) {
    return CompletableFuture.allOf(
            Stream.generate(rref::toHereAsync).limit(times).toArray(CompletableFuture<?>[]::new))
        .handle((nothing, failure) -> times);
  }

  /** Returns how many calls this worker serves, this one included. */
  public static int activeCalls() {
    return Grid.current().activeCalls();
  }

  /** Creates small objects and keeps them until {@link #letGo}. */
  public static void holdPlain(int n) {
    for (int i = 0; i < n; i++) {
      KEPT.add(small());
    }
  }

  /** Creates a tensor of one element. */
  public static Variable small() {
    return Variable.of(Tensor.full(DType.FLOAT32, 1, 1));
  }

  /** Releases all that this worker keeps. */
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

  /** Returns the number of this worker's forks that the registry still has. */
  public static long forks() {
    Map<String, Long> figures = Metrics.of(Grid.current()).figures();
    return figures.getOrDefault("rref.num_forks", 0L)
        + figures.getOrDefault("rref.num_releasing", 0L);
  }

  /** Returns the time in ms that the compilers of this JVM have worked. */
  public static long compiledMillis() {
    return Objects.requireNonNull(ManagementFactory.getCompilationMXBean())
        .getTotalCompilationTime();
  }

  /** Returns the number of Hazelcast operations that this worker has run. */
  public static long operations() {
    return HazelcastOperations.count(Grid.current());
  }

  /** Returns its argument, whose memory is released when the reply is sent. */
  public static Tensor echo(Tensor tensor) {
    return tensor.releaseWhenSent();
  }
}
