package io.hazelgrad.bench;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import java.nio.FloatBuffer;
import java.util.concurrent.CompletableFuture;

/** The parameters that the benchmark's trainers change. Threads: safe. */
@RemoteFunctions
public final class BenchServer {
  private static final int ELEMENTS = 2_500_000;
  private static final int PIECE = 4096;
  private static final float RATE = 0.01f;
  private static final Function<Tensor> BATCHED = Function.async(BenchServer::batched);

  private final int trainers;

  /** Guarded by this, as are the next four. An array that was handed out is not changed again. */
  private float[] parameters = new float[ELEMENTS];

  private boolean isHandedOut;
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
    float[] old = parameters;
    float[] moved = toChange();
    read(
        gradient,
        (piece, at, n) -> {
          for (int i = 0; i < n; i++) {
            moved[at + i] = old[at + i] - RATE * piece[i];
          }
        });
    parameters = moved;
  }

  /** Returns the parameters. */
  public synchronized Tensor pull() {
    isHandedOut = true;
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
      read(
          gradient,
          (piece, at, n) -> {
            for (int i = 0; i < n; i++) {
              sum[at + i] += piece[i];
            }
          });
      waiting++;
      if (waiting < trainers) {
        return answer;
      }
      float[] old = parameters;
      float[] moved = toChange();
      for (int i = 0; i < ELEMENTS; i++) {
        moved[i] = old[i] - RATE / trainers * sum[i];
        sum[i] = 0;
      }
      parameters = moved;
      waiting = 0;
      complete = answer;
      answer = new CompletableFuture<>();
      changed = pull();
    }
    complete.complete(changed);
    return complete;
  }

  /** Returns where changed parameters go: the same array, unless somebody may still read it. */
  private float[] toChange() {
    float[] room = isHandedOut ? new float[ELEMENTS] : parameters;
    isHandedOut = false;
    return room;
  }

  /** What is done with the first {@code n} numbers of a piece, which begins at {@code at}. */
  private interface Use {
    void piece(float[] piece, int at, int n);
  }

  /** Reads a gradient where it lies, outside the heap, piece by piece, and lets go of it. */
  private static void read(Tensor gradient, Use use) {
    float[] piece = new float[PIECE];
    gradient
        .storage()
        .borrow(
            buffer -> {
              FloatBuffer data = ((FloatBuffer) buffer).duplicate();
              for (int at = 0; at < ELEMENTS; at += PIECE) {
                int n = Math.min(PIECE, ELEMENTS - at);
                data.get(piece, 0, n);
                use.piece(piece, at, n);
              }
              return 0;
            });
    gradient.release();
  }

  /** Checks that no gradient, all of ones, was lost in so many steps of each trainer. */
  public synchronized void check(String mode, int steps) {
    int changes = Mode.valueOf(mode) == Mode.BATCHED_ASYNC_EXECUTION ? steps : trainers * steps;
    double expected = -RATE * changes;
    for (float parameter : parameters) {
      if (!(Math.abs(parameter - expected) < 1e-3 * changes * RATE)) {
        throw new IllegalStateException("a parameter is " + parameter + " and not " + expected);
      }
    }
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
