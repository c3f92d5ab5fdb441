package io.hazelgrad.bench;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The parameter server of the benchmark.
 *
 * <p>A reply is written after its function has ended, so it may still read the array that a trainer
 * pulled. The array is not changed before that trainer's next call, which proves that the reply has
 * ended. A few arrays are therefore enough, and no call allocates one.
 *
 * <p>Threads: safe.
 */
@RemoteFunctions
public final class BenchServer {
  private static final int ELEMENTS = 2_500_000;
  private static final int PIECE = 4096;
  private static final float RATE = 0.01f;
  private static final Function<Tensor> BATCHED = Function.async(BenchServer::batched);

  private final int trainers;

  /** One of {@link #arrays}. Guarded by this, like all fields below. */
  private float[] parameters = new float[ELEMENTS];

  private final List<float[]> arrays = new ArrayList<>(List.of(parameters));

  /** By trainer, the array that its reply may still read. */
  private final Map<String, float[]> pulled = new HashMap<>();

  /** The trainers whose gradients are in {@link #sum}. */
  private final List<String> waiting = new ArrayList<>();

  private final float[] sum = new float[ELEMENTS];
  private CompletableFuture<Tensor> answer = new CompletableFuture<>();

  /** The calls of a trainer's round. */
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
  public synchronized void push(String trainer, Tensor gradient) {
    pulled.remove(trainer);
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
  public synchronized Tensor pull(String trainer) {
    pulled.put(trainer, parameters);
    return Tensor.wrap(parameters, ELEMENTS);
  }

  /** Changes the parameters and returns them. */
  public synchronized Tensor pushPull(String trainer, Tensor gradient) {
    push(trainer, gradient);
    return pull(trainer);
  }

  /** Completes when the gradients of all trainers have come, after one change for all. */
  public CompletableFuture<Tensor> batched(String trainer, Tensor gradient) {
    CompletableFuture<Tensor> complete;
    Tensor changed;
    synchronized (this) {
      pulled.remove(trainer);
      read(
          gradient,
          (piece, at, n) -> {
            for (int i = 0; i < n; i++) {
              sum[at + i] += piece[i];
            }
          });
      waiting.add(trainer);
      if (waiting.size() < trainers) {
        return answer;
      }
      float[] old = parameters;
      float[] moved = toChange();
      for (int i = 0; i < ELEMENTS; i++) {
        moved[i] = old[i] - RATE / trainers * sum[i];
        sum[i] = 0;
      }
      parameters = moved;
      complete = answer;
      answer = new CompletableFuture<>();
      changed = Tensor.wrap(parameters, ELEMENTS);
      waiting.forEach(each -> pulled.put(each, parameters));
      waiting.clear();
    }
    complete.complete(changed);
    return complete;
  }

  /** Returns an array for changed parameters, which may be the current one. */
  private float[] toChange() {
    if (isFree(parameters)) {
      return parameters;
    }
    for (float[] array : arrays) {
      if (isFree(array)) {
        return array;
      }
    }
    float[] another = new float[ELEMENTS];
    arrays.add(another);
    return another;
  }

  private boolean isFree(float[] array) {
    return pulled.values().stream().noneMatch(each -> each == array);
  }

  /** Processes the first {@code n} numbers of a piece, which starts at index {@code at}. */
  private interface Use {
    void piece(float[] piece, int at, int n);
  }

  /** Reads a gradient from its memory outside the heap, piece by piece, and releases it. */
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

  /** Checks that no gradient was lost in {@code steps} steps of each trainer; all are ones. */
  public synchronized void check(String mode, int steps) {
    int changes = Mode.valueOf(mode) == Mode.BATCHED_ASYNC_EXECUTION ? steps : trainers * steps;
    double expected = -RATE * changes;
    for (float parameter : parameters) {
      if (!(Math.abs(parameter - expected) < 1e-3 * changes * RATE)) {
        throw new IllegalStateException("a parameter is " + parameter + " and not " + expected);
      }
    }
  }

  /** Runs a trainer's rounds on its worker. */
  public static int train(RRef<BenchServer> server, String mode, int steps) {
    String self = Grid.current().worker().name();
    Tensor gradient = Tensor.full(DType.FLOAT32, 1, ELEMENTS);
    for (int i = 0; i < steps; i++) {
      switch (Mode.valueOf(mode)) {
        case PUSH_THEN_PULL -> {
          server.sync(Function.action(BenchServer::push), self, gradient);
          server.sync(BenchServer::pull, self).release();
        }
        case PUSH_PULL_ONE_CALL -> server.sync(BenchServer::pushPull, self, gradient).release();
        case BATCHED_ASYNC_EXECUTION -> server.sync(BATCHED, self, gradient).release();
      }
    }
    return steps;
  }
}
