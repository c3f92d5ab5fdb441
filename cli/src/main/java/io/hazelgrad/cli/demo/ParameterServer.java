package io.hazelgrad.cli.demo;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.optim.Sgd;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.DoubleConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Has the parameters of a network and improves them with gradients from trainers. A round ends when
 * the gradients of all trainers are there; then all are answered at once. No thread waits
 * meanwhile.
 *
 * <p>Gradients are summed in the order of the trainers, whenever they come; so every run gives the
 * same bits.
 *
 * <p>Threads: safe.
 */
@RemoteFunctions
public final class ParameterServer {
  private static final double LEARNING_RATE = 0.05;
  private static final double MOMENTUM = 0.9;

  private final Classifier model;
  private final LocalOptimizer optimizer;
  private final int trainers;
  private final DoubleConsumer listener;

  /** Guarded by this, as is the next. */
  private Round round;

  private @Nullable Throwable end;

  /** What a trainer sends. */
  private record Share(double loss, List<Tensor> gradients) {}

  /** What has come so far, and who waits for the rest. */
  private static final class Round {
    private final @Nullable Share[] shares;
    private final CompletableFuture<List<Tensor>> answer = new CompletableFuture<>();
    private int missing;

    Round(int trainers) {
      shares = new Share[trainers];
      missing = trainers;
    }
  }

  /** Makes a server; {@code listener} hears the mean loss of each round. */
  ParameterServer(Classifier model, int trainers, DoubleConsumer listener) {
    this.model = model;
    this.optimizer =
        LocalOptimizer.of(Sgd.of(LEARNING_RATE).withMomentum(MOMENTUM), model.parameters());
    this.trainers = trainers;
    this.listener = listener;
    this.round = new Round(trainers);
  }

  /** Returns the parameters. */
  public synchronized List<Tensor> parameters() {
    return model.values();
  }

  /**
   * Takes a trainer's gradients and answers with the new parameters when those of all trainers are
   * there.
   *
   * @throws IllegalArgumentException if there is no such trainer, or it has its share in this round
   */
  public CompletableFuture<List<Tensor>> exchange(
      int trainer, double loss, List<Tensor> gradients) {
    Round complete;
    List<Tensor> values;
    synchronized (this) {
      if (end != null) {
        return CompletableFuture.failedFuture(end);
      }
      if (trainer < 0 || trainer >= trainers || round.shares[trainer] != null) {
        throw new IllegalArgumentException(
            "trainer " + trainer + " of " + trainers + ", none of whom may come twice in a round");
      }
      round.shares[trainer] = new Share(loss, gradients);
      round.missing--;
      if (round.missing > 0) {
        return round.answer;
      }
      complete = round;
      round = new Round(trainers);
      improve(complete.shares);
      values = model.values();
    }
    complete.answer.complete(values);
    return complete.answer;
  }

  /** Answers all that wait, and all who come later, with a failure. */
  void fail(Throwable cause) {
    CompletableFuture<List<Tensor>> waiting;
    synchronized (this) {
      end = cause;
      waiting = round.answer;
    }
    waiting.completeExceptionally(cause);
  }

  private void improve(@Nullable Share[] shares) {
    List<Share> all = Arrays.stream(shares).toList();
    Variable part = Variable.of(Tensor.wrap(new float[] {1f / trainers}));
    IdentityHashMap<Variable, Tensor> means = new IdentityHashMap<>();
    for (int i = 0; i < model.parameters().size(); i++) {
      Variable sum = Variable.of(all.get(0).gradients().get(i));
      for (Share share : all.subList(1, trainers)) {
        sum = sum.add(Variable.of(share.gradients().get(i)));
      }
      means.put(model.parameters().get(i), sum.mul(part).value());
    }
    optimizer.step(means::get);
    listener.accept(all.stream().mapToDouble(Share::loss).average().orElseThrow());
  }
}
