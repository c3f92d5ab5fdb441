package io.hazelgrad.cli;

import io.hazelgrad.cli.demo.TrainingProgress;
import io.hazelgrad.launcher.BadInputException;
import io.hazelgrad.launcher.FailedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Draws the loss over the steps of a training, and its mean over each epoch. */
final class LossCurve implements TrainingProgress {
  private static final int WIDTH = 900;
  private static final int HEIGHT = 500;
  private static final String PNG = ".png";
  private static final String SVG = ".svg";

  private final String title;
  private final Path file;
  private final List<Double> steps = new ArrayList<>();
  private final List<Double> losses = new ArrayList<>();
  private final List<Double> epochs = new ArrayList<>();
  private final List<Double> means = new ArrayList<>();

  /**
   * Makes one that will write a file.
   *
   * @throws BadInputException if its name ends neither in .png nor in .svg, or its folder is
   *     missing
   */
  LossCurve(String title, Path file) {
    this.title = title;
    this.file = file;
    if (!hasExtension(PNG) && !hasExtension(SVG)) {
      throw new BadInputException("the name of a plot must end in .png or .svg: " + file);
    }
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder) || Files.isDirectory(file)) {
      throw new BadInputException(
          "cannot write " + file + ": there is no such folder, or it is one");
    }
  }

  private boolean hasExtension(String extension) {
    return file.toString().toLowerCase(Locale.ROOT).endsWith(extension);
  }

  @Override
  public void step(int epoch, double loss) {
    steps.add(steps.size() + 1.0);
    losses.add(drawn(loss));
  }

  @Override
  public void epoch(int epoch, double loss, double accuracy) {
    epochs.add((double) steps.size());
    means.add(drawn(loss));
  }

  /** Infinity cannot be drawn; it is a gap, as NaN is. */
  private static double drawn(double loss) {
    return Double.isFinite(loss) ? loss : Double.NaN;
  }

  /**
   * Writes the file.
   *
   * @throws FailedException if that is not possible
   */
  void write() {
    if (System.getProperty("java.awt.headless") == null) {
      System.setProperty("java.awt.headless", "true"); // There may be a display that is not ours.
    }
    try {
      Files.write(file, ChartEncoder.getBytes(chart(), hasExtension(PNG) ? "png" : "svg"));
    } catch (IOException e) {
      throw new FailedException("cannot write " + file + ": " + e, e);
    }
  }

  private XYChart chart() {
    XYChart chart =
        new XYChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(title)
            .xAxisTitle("step")
            .yAxisTitle("loss")
            .build();
    chart.getStyler().setLegendPosition(LegendPosition.InsideNE);
    chart.getStyler().setYAxisMin(0.0);
    chart.addSeries("each step", steps, losses).setMarker(SeriesMarkers.NONE);
    chart.addSeries("mean of an epoch", epochs, means).setMarker(SeriesMarkers.CIRCLE);
    return chart;
  }
}
