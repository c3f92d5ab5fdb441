package io.hazelgrad.cli.demo;

/** A listener to the progress of a training. It is called on one thread at a time. */
public interface TrainingProgress {
  /** Called after each step with the epoch, from 1, and the loss of the batch. */
  void step(int epoch, double loss);

  /** Called after each epoch with the mean loss and the accuracy on the held-out pictures. */
  void epoch(int epoch, double loss, double accuracy);
}
