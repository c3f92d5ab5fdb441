package io.hazelgrad.cli.demo;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/**
 * Trains one network on several workers with the bundled digits. This process has the {@link
 * ParameterServer}.
 */
public final class SharedTraining implements Demo {
  private static final long SEED = 1;
  private static final Duration EPOCH_LIMIT = Duration.ofMinutes(10);

  private final Digits digits = Digits.load(new Random(SEED));
  private final Module<Variable, Variable> model = DemoLayers.classifier(SEED);
  private final int trainers;

  /** Reads the digits. */
  public SharedTraining(int trainers) {
    this.trainers = trainers;
  }

  /** Returns the number of steps of an epoch; each uses the gradients of all trainers. */
  @Override
  public int stepsPerEpoch() {
    return Trainer.stepsPerEpoch(digits.training(), trainers);
  }

  @Override
  public Result run(GridAccess grid, List<String> workers, int epochs, TrainingProgress progress) {
    List<Double> losses = new ArrayList<>(); // Filled within the lock of the server.
    ParameterServer server =
        new ParameterServer(
            model,
            trainers,
            loss -> {
              progress.step(losses.size() / stepsPerEpoch() + 1, loss);
              losses.add(loss);
            });
    double accuracy = 0;
    List<RRef<Trainer>> all = new ArrayList<>();
    try (RRef<ParameterServer> shared = RRefs.on(grid).local(server)) {
      for (int i = 0; i < trainers; i++) {
        all.add(RRefs.on(grid).remote(workers.get(i), Trainer::new, i, trainers, SEED));
      }
      for (int epoch = 1; epoch <= epochs; epoch++) {
        epoch(server, shared, all, epoch);
        ImageSet heldOut = digits.heldOut();
        int right = heldOut.recognised(model.forward(Variable.of(heldOut.pixels())).value());
        accuracy = (double) right / heldOut.size();
        List<Double> own = losses.subList((epoch - 1) * stepsPerEpoch(), losses.size());
        double mean = own.stream().mapToDouble(loss -> loss).average().orElseThrow();
        progress.epoch(epoch, mean, accuracy);
      }
    } finally {
      all.forEach(RRef::close);
    }
    return new Result(accuracy);
  }

  /** Runs all trainers at the same time. If one fails, the others do not wait for it. */
  private static void epoch(
      ParameterServer server, RRef<ParameterServer> shared, List<RRef<Trainer>> all, int epoch) {
    List<CompletableFuture<Integer>> running = new ArrayList<>();
    for (RRef<Trainer> trainer : all) {
      running.add(
          trainer
              .within(EPOCH_LIMIT)
              .async(Trainer::epoch, shared, epoch)
              .whenComplete(
                  (steps, failure) -> {
                    if (failure != null) {
                      server.fail(failure);
                    }
                  }));
    }
    CompletableFuture.allOf(running.toArray(CompletableFuture<?>[]::new)).join();
  }
}
