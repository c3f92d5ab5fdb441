package io.hazelgrad.cli.demo;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Grid;
import java.util.List;
import java.util.Random;

/** Trains a network that is split over workers on the handwritten digits, and judges it. */
public final class Training {
  private static final int BATCH = 32;
  private static final int HELD_OUT = 360;
  private static final long SEED = 1;

  private final Digits training;
  private final Digits heldOut;
  private final Random random = new Random(SEED);

  /** Reads the digits; which of them are held out is always the same. */
  public Training() {
    Digits all = Digits.load().shuffled(random);
    heldOut = all.slice(0, HELD_OUT);
    training = all.slice(HELD_OUT, all.size());
  }

  /**
   * What came out.
   *
   * @param accuracy which part of the held-out digits is recognised
   * @param steps how many steps were made
   */
  public record Result(double accuracy, int steps) {}

  /** Hears how it goes. */
  public interface Listener {
    /** Called after each step with the epoch, from 1, and the loss of the batch. */
    void step(int epoch, double loss);

    /** Called after each epoch with the mean loss and the accuracy on the held-out digits. */
    void epoch(int epoch, double loss, double accuracy);
  }

  /** Returns how many steps one epoch has. */
  public int stepsPerEpoch() {
    return (training.size() + BATCH - 1) / BATCH;
  }

  /** Trains on the workers; every reference that this makes is closed again. */
  public Result run(Grid trainer, List<String> workers, int epochs, Listener listener) {
    double accuracy = 0;
    try (Network network = new Network(trainer, workers, SEED)) {
      for (int epoch = 1; epoch <= epochs; epoch++) {
        double sum = 0;
        for (Digits batch : training.shuffled(random).batches(BATCH)) {
          double loss = step(trainer, network, batch);
          sum += loss;
          listener.step(epoch, loss);
        }
        accuracy = heldOut.accuracy(network.forward(heldOut.pixels()).value());
        listener.epoch(epoch, sum / stepsPerEpoch(), accuracy);
      }
    }
    return new Result(accuracy, epochs * stepsPerEpoch());
  }

  private static double step(Grid trainer, Network network, Digits batch) {
    try (Context context = Autograd.on(trainer).open()) {
      Variable loss = network.forward(batch.pixels()).crossEntropy(Variable.of(batch.labels()));
      context.backward(loss);
      network.step(context);
      return loss.value().item();
    }
  }
}
