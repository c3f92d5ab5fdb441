package io.hazelgrad.bench;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Measures forward and backward passes over graphs of additions of one element by calls. */
final class AutogradBench extends Bench {
  /** Forward, backward, and total. */
  private static final int PHASES = 3;

  private final String callee = others.get(0);

  AutogradBench(Setting setting) {
    super(setting);
  }

  @Override
  void run() {
    Autograd autograd = Autograd.on(caller);
    latency("dist_context_empty", TCP, Sampling.time(() -> autograd.open().close(), 500, 5000));
    measure("one", 1, () -> chain(1), 2000);
    measure("chain", 10, () -> chain(10), 500);
    measure("chain", 100, () -> chain(100), 60);
    measure("wide", 100, () -> wide(100), 150);
    measure("nested", 10, () -> nested(10), 500);
    measure("nested", 100, () -> nested(100), 50);
  }

  /** Makes calls of which each takes the result of the one before. */
  private Variable chain(int calls) {
    Variable y = parameter;
    for (int call = 0; call < calls; call++) {
      y = caller.rpc().sync(callee, add, y, one);
    }
    return y;
  }

  /** Makes all calls at the same time and sums their results. */
  private Variable wide(int calls) {
    List<CompletableFuture<Variable>> pending = new ArrayList<>();
    for (int call = 0; call < calls; call++) {
      pending.add(caller.rpc().async(callee, add, parameter, one));
    }
    Variable[] all = pending.stream().map(CompletableFuture::join).toArray(Variable[]::new);
    return Variable.apply("stack", all);
  }

  /** Makes nested calls in which the two workers call each other by turns. */
  private Variable nested(int calls) {
    List<String> turned = List.of(callee, caller.worker().name());
    return caller
        .rpc()
        .sync(callee, BenchFunctions.NESTED, parameter.add(one), one, calls - 1, turned);
  }

  private void measure(String graph, int calls, Supplier<Variable> run, int samples) {
    warmUp.run(() -> pass(run, new long[PHASES]));
    long[][] nanos = Sampling.phases(PHASES, samples, phases -> pass(run, phases));
    Map<String, Object> params = Map.of("graph", graph, "rpcs", calls, "transport", "tcp");
    latency("autograd_forward", params, nanos[0]);
    latency("autograd_backward", params, nanos[1]);
    latency("autograd_total", params, nanos[2]);
  }

  /** Runs a graph forward and backward; {@code nanos} gets both times and the total. */
  private void pass(Supplier<Variable> run, long[] nanos) {
    long start = System.nanoTime();
    try (Context context = Autograd.on(caller).open()) {
      Variable y = run.get();
      long middle = System.nanoTime();
      context.backward(y.sum());
      nanos[0] = middle - start;
      nanos[1] = System.nanoTime() - middle;
      if (context.gradient(parameter) == null) {
        throw new IllegalStateException("there is no gradient");
      }
    }
    nanos[2] = System.nanoTime() - start;
  }
}
