package io.hazelgrad.bench;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;

/** The parameters that the benchmark's trainers change. Threads: safe. */
@RemoteFunctions
public final class BenchServer {
  private static final int ELEMENTS = 2_500_000;
  private static final float RATE = 0.01f;
  private static final Function<Tensor> BATCHED = Function.async(BenchServer::batched);

  private final int trainers;

  /** Guarded by this, as are the next three. An array that was handed out is not changed again. */
  private float[] parameters = new float[ELEMENTS];

  private final float[] sum = new float[ELEMENTS];
  private int waiting;
  private CompletableFuture<Tensor> answer = new CompletableFuture<>();

  /** How a trainer's round goes. */
  enum Mode {
    /** Two calls. */
    PUSH_THEN_PULL,
    /** One call that changes the parameters and returns them. */
    PUSH_PULL_ONE_CALL,
    /** One call that is answered when the gradients of all trainers are there. */
    BATCHED_ASYNC_EXECUTION
  }

  BenchServer(int trainers) {
    this.trainers = trainers;
  }

  /** Changes the parameters. */
  public synchronized void push(Tensor gradient) {
    move(taken(gradient), RATE);
  }

  /** Returns the parameters. */
  public synchronized Tensor pull() {
    return Tensor.wrap(parameters, ELEMENTS);
  }

  /** Changes the parameters and returns them. */
  public synchronized Tensor pushPull(Tensor gradient) {
    push(gradient);
    return pull();
  }

  /** Answers when every trainer's gradient is there, with one change for all. */
  public CompletableFuture<Tensor> batched(Tensor gradient) {
    CompletableFuture<Tensor> complete;
    Tensor changed;
    synchronized (this) {
      float[] added = taken(gradient);
      for (int i = 0; i < ELEMENTS; i++) {
        sum[i] += added[i];
      }
      waiting++;
      if (waiting < trainers) {
        return answer;
      }
      move(sum, RATE / trainers);
      Arrays.fill(sum, 0);
      waiting = 0;
      complete = answer;
      answer = new CompletableFuture<>();
      changed = pull();
    }
    complete.complete(changed);
    return complete;
  }

  private void move(float[] gradient, float rate) {
    float[] moved = new float[ELEMENTS];
    for (int i = 0; i < ELEMENTS; i++) {
      moved[i] = parameters[i] - rate * gradient[i];
    }
    parameters = moved;
  }

  private static float[] taken(Tensor gradient) {
    float[] data = gradient.toFloats();
    gradient.release();
    return data;
  }

  /** Makes a trainer's rounds; runs on its worker. */
  public static int train(RRef<BenchServer> server, String mode, int steps) {
    Tensor gradient = Tensor.full(DType.FLOAT32, 1, ELEMENTS);
    for (int i = 0; i < steps; i++) {
      switch (Mode.valueOf(mode)) {
        case PUSH_THEN_PULL -> {
          server.sync(Function.action(BenchServer::push), gradient);
          server.sync(BenchServer::pull).release();
        }
        case PUSH_PULL_ONE_CALL -> server.sync(BenchServer::pushPull, gradient).release();
        case BATCHED_ASYNC_EXECUTION -> server.sync(BATCHED, gradient).release();
      }
    }
    return steps;
  }
}
