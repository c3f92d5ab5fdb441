package io.hazelgrad.cli.demo;

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

/** Draws the loss of each step of a training and its mean over each epoch. */
public final class LossCurve implements TrainingProgress {
  private static final int WIDTH = 900;
  private static final int HEIGHT = 500;
  private static final String PNG = ".png";
  private static final String SVG = ".svg";

  private final String title;
  private final Path file;
  private final List<Double> losses = new ArrayList<>();
  private final List<Double> epochs = new ArrayList<>();
  private final List<Double> means = new ArrayList<>();

  /**
   * Creates a curve that will be written to a file.
   *
   * @throws BadInputException if XChart is not on the class path, if the file's name ends neither
   *     in .png nor in .svg, or if its folder is missing
   */
  public LossCurve(String title, Path file) {
    this.title = title;
    this.file = file;
    requireXChart();
    if (!hasExtension(PNG) && !hasExtension(SVG)) {
      throw new BadInputException("the name of a plot must end in .png or .svg: " + file);
    }
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder) || Files.isDirectory(file)) {
      throw new BadInputException(
          "cannot write " + file + ": its folder does not exist, or it is a folder itself");
    }
  }

  private static void requireXChart() {
    try {
      Class.forName("org.knowm.xchart.XYChart", false, LossCurve.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new BadInputException(
          "--plot needs XChart, which a distribution does not have: run ./hazelgrad in a checkout,"
              + " or name the jars of org.knowm.xchart:xchart and"
              + " de.erichseifert.vectorgraphics2d:VectorGraphics2D in HAZELGRAD_CLASSPATH",
          e);
    }
  }

  private boolean hasExtension(String extension) {
    return file.toString().toLowerCase(Locale.ROOT).endsWith(extension);
  }

  @Override
  public void step(int epoch, double loss) {
    losses.add(drawn(loss));
  }

  @Override
  public void epoch(int epoch, double loss, double accuracy) {
    epochs.add((double) losses.size());
    means.add(drawn(loss));
  }

  /** Returns NaN, which is drawn as a gap, for a loss that is not finite. */
  private static double drawn(double loss) {
    return Double.isFinite(loss) ? loss : Double.NaN;
  }

  /** Writes the file; throws {@link FailedException} if it cannot be written. */
  public void write() {
    if (System.getProperty("java.awt.headless") == null) {
      System.setProperty("java.awt.headless", "true"); // Drawing needs no display.
    }
    try {
      Files.write(file, Drawing.encoded(this));
    } catch (IOException e) {
      throw new FailedException("cannot write " + file + ": " + e, e);
    }
  }

  /** Uses XChart. It is a class of its own because XChart may be missing. */
  private static final class Drawing {
    static byte[] encoded(LossCurve curve) throws IOException {
      XYChart chart =
          new XYChartBuilder()
              .width(WIDTH)
              .height(HEIGHT)
              .title(curve.title)
              .xAxisTitle("step")
              .yAxisTitle("loss")
              .build();
      chart.getStyler().setLegendPosition(LegendPosition.InsideNE);
      chart.getStyler().setYAxisMin(0.0);
      chart.addSeries("each step", null, curve.losses).setMarker(SeriesMarkers.NONE);
      chart
          .addSeries("mean of an epoch", curve.epochs, curve.means)
          .setMarker(SeriesMarkers.CIRCLE);
      return ChartEncoder.getBytes(chart, curve.hasExtension(PNG) ? "png" : "svg");
    }
  }
}
