package io.hazelgrad.cli.demo;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.autograd.optim.Sgd;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Tensor;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.DoubleConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The owner of a network's parameters, which it updates with the gradients of trainers. A round
 * ends when the gradients of all trainers have come. All trainers get their reply then; no thread
 * waits for it.
 *
 * <p>Gradients are summed in the order of the trainers, not of their arrival. Every run therefore
 * gives the same bits.
 *
 * <p>Threads: safe.
 */
@RemoteFunctions
public final class ParameterServer {
  private static final double LEARNING_RATE = 0.05;
  private static final double MOMENTUM = 0.9;

  private final Module<Variable, Variable> model;
  private final List<Variable> parameters;
  private final LocalOptimizer optimizer;
  private final int trainers;
  private final DoubleConsumer listener;

  /** The shares of the round by trainer. Guarded by this, like the fields below. */
  private final SortedMap<Integer, Share> shares = new TreeMap<>();

  /** The reply to all trainers of the round. */
  private CompletableFuture<Map<String, Tensor>> answer = new CompletableFuture<>();

  private @Nullable Throwable end;

  private record Share(double loss, List<Tensor> gradients) {}

  /** Creates a server; {@code listener} receives the mean loss of each round. */
  ParameterServer(Module<Variable, Variable> model, int trainers, DoubleConsumer listener) {
    this.model = model;
    this.parameters = model.parameters();
    this.optimizer = LocalOptimizer.of(Sgd.of(LEARNING_RATE).withMomentum(MOMENTUM), parameters);
    this.trainers = trainers;
    this.listener = listener;
  }

  /** Returns the parameters by name. */
  public synchronized Map<String, Tensor> parameters() {
    return model.state();
  }

  /**
   * Adds a trainer's gradients to the round. The stage completes with the new parameters when the
   * gradients of all trainers have come.
   *
   * @throws IllegalArgumentException if there is no such trainer, or it has sent gradients already
   */
  public CompletableFuture<Map<String, Tensor>> exchange(
      int trainer, double loss, List<Tensor> gradients) {
    CompletableFuture<Map<String, Tensor>> complete;
    Map<String, Tensor> values;
    synchronized (this) {
      if (end != null) {
        return CompletableFuture.failedFuture(end);
      }
      if (trainer < 0 || trainer >= trainers || shares.containsKey(trainer)) {
        throw new IllegalArgumentException(
            "trainer " + trainer + " of " + trainers + ", none of whom may come twice in a round");
      }
      shares.put(trainer, new Share(loss, gradients));
      if (shares.size() < trainers) {
        return answer;
      }
      improve(List.copyOf(shares.values()));
      values = model.state();
      shares.clear();
      complete = answer;
      answer = new CompletableFuture<>();
    }
    complete.complete(values);
    return complete;
  }

  /** Completes all waiting and later calls with a failure. */
  void fail(Throwable cause) {
    CompletableFuture<Map<String, Tensor>> waiting;
    synchronized (this) {
      end = cause;
      waiting = answer;
    }
    waiting.completeExceptionally(cause);
  }

  private void improve(List<Share> all) {
    Variable part = Variable.of(Tensor.wrap(new float[] {1f / trainers}));
    IdentityHashMap<Variable, Tensor> means = new IdentityHashMap<>();
    for (int i = 0; i < parameters.size(); i++) {
      Variable sum = Variable.of(all.get(0).gradients().get(i));
      for (Share share : all.subList(1, trainers)) {
        sum = sum.add(Variable.of(share.gradients().get(i)));
      }
      means.put(parameters.get(i), sum.mul(part).value());
    }
    optimizer.step(means::get);
    listener.accept(all.stream().mapToDouble(Share::loss).average().orElseThrow());
  }
}
