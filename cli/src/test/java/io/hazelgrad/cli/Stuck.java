package io.hazelgrad.cli;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.autograd.nn.Linear;
import io.hazelgrad.autograd.optim.Sgd;
import io.hazelgrad.autograd.parallel.DataParallel;
import io.hazelgrad.autograd.parallel.Pipeline;
import io.hazelgrad.autograd.parallel.PipelineSchedule;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.collective.Collective;
import io.hazelgrad.grid.collective.Collectives;
import io.hazelgrad.grid.group.Groups;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;

/** Functions that get stuck, and trainings that go on until they are cancelled. */
@RemoteFunctions
final class Stuck {
  private static final Object LOCK = new Object();
  private static final List<Collective> JOINED = new CopyOnWriteArrayList<>();
  private static final long SLOW_NANOS = 50_000_000;
  private static final String[] BOTH = {"A", "B"};

  private Stuck() {}

  /** Takes this worker's lock, and then that of the other worker, which does the same. */
  static boolean takeBothLocks(String other) {
    synchronized (LOCK) {
      Groups.of(Grid.current()).named(BOTH).keyed("locked").barrier();
      return Grid.current().rpc().sync(other, Stuck::takeLock);
    }
  }

  /** Takes this worker's lock for a moment. */
  static boolean takeLock() {
    synchronized (LOCK) {
      return true;
    }
  }

  /** Returns the names of the workers that this one knows. */
  static List<String> workers() {
    return names(Grid.current());
  }

  static List<String> names(Grid grid) {
    return grid.workers().stream().map(Worker::name).toList();
  }

  /** Waits at a barrier with a key for the other worker. */
  static boolean meet(String key) {
    Groups.of(Grid.current()).named(BOTH).keyed(key).barrier();
    return true;
  }

  /** Joins two collectives with the other worker, and makes a round of each, in an order. */
  static boolean makeRounds(boolean isFirstFirst) {
    Collectives collectives = Collectives.on(Grid.current());
    try (Collective first = collectives.join("first", List.of(BOTH));
        Collective second = collectives.join("second", List.of(BOTH))) {
      JOINED.addAll(List.of(first, second));
      Rpc.await((isFirstFirst ? first : second).barrier());
      Rpc.await((isFirstFirst ? second : first).barrier());
    }
    return true;
  }

  /** Trains together with the other worker until the call is cancelled. */
  static boolean train(boolean isSlow) {
    Linear model = new Linear(8, 2, Init.seeded(1));
    Variable rows = Variable.of(Init.seeded(2).normal(0, 1, 4, 8));
    try (Collective trainers = Collectives.on(Grid.current()).join("loop", List.of(BOTH));
        DataParallel parallel = DataParallel.of(trainers, model)) {
      LocalOptimizer optimizer = LocalOptimizer.of(Sgd.of(0.01), model.parameters());
      while (true) { // The cancelled call interrupts a round.
        if (isSlow) {
          LockSupport.parkNanos(SLOW_NANOS);
        }
        parallel.backward(model.forward(rows).mul(rows.sum()).mean());
        optimizer.step(parallel::gradient);
        parallel.zeroGrad();
      }
    }
  }

  /** Makes steps of a pipeline together with the other worker until the call is cancelled. */
  static boolean pipe() {
    Linear stage = new Linear(8, 8, Init.seeded(1));
    List<Tensor> inputs = List.of(Init.seeded(2).normal(0, 1, 4, 8));
    try (Collective stages = Collectives.on(Grid.current()).join("pipe", List.of(BOTH))) {
      Pipeline pipeline = Pipeline.of(stages, stage, 1, PipelineSchedule.GPIPE);
      while (true) {
        double unused =
            pipeline.isFirst()
                ? pipeline.step(inputs)
                : pipeline.step((micro, output) -> output.mean());
      }
    }
  }

  /** Closes the collectives of this worker, which ends the rounds on both. */
  static boolean leave() {
    JOINED.forEach(Collective::close);
    return true;
  }
}
