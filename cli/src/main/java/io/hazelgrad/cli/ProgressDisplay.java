package io.hazelgrad.cli;

import io.hazelgrad.cli.demo.LossCurve;
import io.hazelgrad.cli.demo.TrainingProgress;
import java.io.PrintWriter;
import java.util.Locale;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/**
 * Shows the progress of a training: a progress bar on a terminal, and if wanted a line for each
 * epoch. With a bar the lines are printed after its end, because both write to the terminal.
 */
final class ProgressDisplay implements TrainingProgress, AutoCloseable {
  /** The launcher script sets this property to true if the standard error is a terminal. */
  private static final String TERMINAL = "hazelgrad.terminal";

  private final PrintWriter out;
  private final boolean lines;
  private final int epochs;
  private final @Nullable ProgressBar bar;
  private final @Nullable LossCurve curve;
  private final StringBuilder held = new StringBuilder();

  /** Creates a display; {@code curve} gets the progress too. */
  ProgressDisplay(
      PrintWriter out,
      boolean lines,
      String task,
      long steps,
      int epochs,
      @Nullable LossCurve curve) {
    this.out = out;
    this.lines = lines;
    this.epochs = epochs;
    this.curve = curve;
    this.bar = bar(task, steps);
  }

  /** Returns a progress bar if the standard error is a terminal, else null. */
  static @Nullable ProgressBar bar(String task, long steps) {
    return Boolean.getBoolean(TERMINAL)
        ? new ProgressBarBuilder()
            .setTaskName(task)
            .setInitialMax(steps)
            .setStyle(ProgressBarStyle.ASCII)
            .setConsumer(new ConsoleProgressBarConsumer(System.err))
            .build()
        : null;
  }

  @Override
  public void step(int epoch, double loss) {
    if (bar != null) {
      bar.step();
      bar.setExtraMessage(
          String.format(Locale.ROOT, " epoch %d/%d, loss %.3f", epoch, epochs, loss));
    }
    if (curve != null) {
      curve.step(epoch, loss);
    }
  }

  @Override
  public void epoch(int epoch, double loss, double accuracy) {
    if (lines) {
      held.append(
          String.format(
              Locale.ROOT,
              "epoch %d/%d: loss %.4f, accuracy %.3f%n",
              epoch,
              epochs,
              loss,
              accuracy));
      if (bar == null) {
        printHeld();
      }
    }
    if (curve != null) {
      curve.epoch(epoch, loss, accuracy);
    }
  }

  private void printHeld() {
    out.print(held);
    out.flush();
    held.setLength(0);
  }

  @Override
  public void close() {
    if (bar != null) {
      bar.close();
      printHeld();
    }
  }
}
