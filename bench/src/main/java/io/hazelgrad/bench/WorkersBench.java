package io.hazelgrad.bench;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.bench.inner.HazelcastOperations;
import io.hazelgrad.bench.training.DdpTrainer;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.launcher.LocalCluster;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures calls, references, passes and all-reduces with 2 to 8 workers: their time, and the
 * number of Hazelcast operations of all workers for each. It also measures the operations of idle
 * workers and the garbage collections under load. Each call goes to the next worker.
 */
final class WorkersBench extends Bench {
  private static final List<Integer> SIZES = List.of(2, 4, 8);
  private static final Duration IDLE = Duration.ofSeconds(10);
  private static final int CALLS = 10_000;
  private static final int REFERENCES = 5_000;
  private static final int PASSES = 500;
  private static final int HOPS = 14;
  private static final int LOAD = 200_000;
  private static final int OUTSTANDING = 1_024;

  private final LocalCluster processes;
  private final List<String> callees = new ArrayList<>(others);
  private int next;

  WorkersBench(Setting setting) {
    super(setting);
    processes = setting.processes();
  }

  @Override
  void run() {
    for (int size : SIZES) {
      while (callees.size() < size - 1) {
        String name = "w" + (callees.size() + 1);
        processes.startWorker(name);
        callees.add(name);
      }
      measure(Map.of("workers", size));
    }
  }

  private void measure(Map<String, Object> workers) {
    Sampling.time(this::call, CALLS * callees.size(), 0);
    Sampling.time(this::reference, REFERENCES * callees.size(), 0);
    Sampling.time(this::pass, PASSES * 2, 0);
    double idle = idle();
    report("operations_idle", workers, idle, "operations/s", 1);
    measure("call", workers, idle, this::call, CALLS, 1);
    measure("remote_to_here_close", workers, idle, this::reference, REFERENCES, 1);
    measure("forward_backward_hop", workers, idle, this::pass, PASSES, HOPS);
    for (int bytes : List.of(4 << 10, 1 << 20)) {
      allReduce(bytes, true);
      allReduce(bytes, false);
    }
    load(workers);
  }

  private void allReduce(int bytes, boolean sharedMemory) {
    List<String> names = new ArrayList<>(callees);
    names.add(caller.worker().name());
    List<CompletableFuture<long[]>> others =
        callees.stream()
            .map(to -> caller.rpc().async(to, DdpTrainer::allReduce, names, bytes, sharedMemory))
            .toList();
    long[] nanos = DdpTrainer.allReduce(caller, names, bytes, sharedMemory);
    others.forEach(Rpc::await);
    Map<String, Object> parameters =
        Map.of("workers", names.size(), "bytes", bytes, "shared_memory", sharedMemory);
    latency("all_reduce_among_workers", parameters, nanos);
  }

  /** Returns the operations per second of all workers without calls. */
  private double idle() {
    long before = operations();
    long start = System.nanoTime();
    for (long left = IDLE.toNanos(); left > 0; left = IDLE.toNanos() - elapsed(start)) {
      LockSupport.parkNanos(left);
    }
    return (operations() - before) * 1e9 / elapsed(start);
  }

  private static long elapsed(long start) {
    return System.nanoTime() - start;
  }

  /** Times runs; the figures are those of one of the {@code parts} of a run. */
  private void measure(
      String name, Map<String, Object> workers, double idle, Runnable run, int n, int parts) {
    long before = operations();
    long start = System.nanoTime();
    long[] nanos = Sampling.time(run, 0, n);
    double ofItself = idle * elapsed(start) / TimeUnit.SECONDS.toNanos(1);
    double operations = (operations() - before - ofItself) / n / parts;
    for (int i = 0; i < n; i++) {
      nanos[i] /= parts;
    }
    latency(name + "_among_workers", workers, nanos);
    report(name + "_operations_among_workers", workers, operations, "operations", n);
  }

  private long operations() {
    long sum = HazelcastOperations.count(caller);
    for (String worker : callees) {
      sum += caller.rpc().sync(worker, BenchFunctions::operations);
    }
    return sum;
  }

  private String turn() {
    next = (next + 1) % callees.size();
    return callees.get(next);
  }

  private void call() {
    caller.rpc().sync(turn(), add, one, one);
  }

  private void reference() {
    try (RRef<Variable> made = RRefs.on(caller).remote(turn(), add, one, one)) {
      made.toHere();
    }
  }

  private void pass() {
    try (Context context = Autograd.on(caller).open()) {
      Variable y = parameter;
      for (int hop = 0; hop < HOPS; hop++) {
        y = caller.rpc().sync(turn(), add, y, one);
      }
      context.backward(y.sum());
    }
  }

  /** Measures throughput, allocation and garbage collection of many calls at the same time. */
  private void load(Map<String, Object> workers) {
    String first = callees.get(0);
    caller.rpc().sync(first, Function.action(Pauses::start));
    long allocatedThere = caller.rpc().sync(first, MemoryUsage::allocated);
    Pauses.start();
    long allocated = MemoryUsage.allocated();
    long nanos =
        Sampling.inFlight(LOAD, OUTSTANDING, () -> caller.rpc().async(turn(), add, one, one));
    double each = (MemoryUsage.allocated() - allocated) / (double) LOAD;
    double served = LOAD / (double) callees.size();
    double eachThere = (caller.rpc().sync(first, MemoryUsage::allocated) - allocatedThere) / served;
    rate("calls_among_workers", workers, "calls/s", LOAD, nanos);
    report("call_allocated_caller", workers, each, "bytes", LOAD);
    report("call_allocated_callee", workers, eachThere, "bytes", (int) served);
    report("caller", workers, Pauses.stop(), nanos);
    report("callee", workers, caller.rpc().sync(first, Pauses::stop), nanos);
  }

  private void report(String where, Map<String, Object> workers, Pauses.Seen seen, long nanos) {
    int count = seen.count();
    double percent = 100 * seen.shareOf(nanos);
    report("pauses_" + where, workers, percent, "% of the time", count);
    report("longest_pause_" + where, workers, (double) seen.longest(), "ms", count);
  }
}
