package io.hazelgrad.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.launcher.BadInputException;
import io.hazelgrad.launcher.FailedException;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;

/** Files with the loss of a training. */
final class LossCurveTest {
  @TempDir private Path folder;

  private Path draw(String name) {
    Path file = folder.resolve(name);
    LossCurve curve = new LossCurve("some training", file);
    for (int epoch = 1; epoch <= 3; epoch++) {
      for (int step = 0; step < 10; step++) {
        curve.step(epoch, 3.0 / (10 * epoch + step));
      }
      curve.epoch(epoch, 0.3 / epoch, 0.5);
    }
    curve.write();
    return file;
  }

  @Test
  void png() throws IOException {
    BufferedImage image = ImageIO.read(draw("loss.PNG").toFile());
    assertThat(image.getWidth()).isEqualTo(900);
    assertThat(image.getHeight()).isEqualTo(500);
    long colours =
        IntStream.range(0, 900 * 500).map(i -> image.getRGB(i % 900, i / 900)).distinct().count();
    assertThat(colours).isGreaterThan(5);
  }

  @Test
  void svg() throws Exception {
    Path file = draw("loss.svg");
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
    Document document = factory.newDocumentBuilder().parse(file.toFile());
    assertThat(document.getDocumentElement().getTagName()).isEqualTo("svg");
    assertThat(document.getElementsByTagName("path").getLength()).isGreaterThan(10);
  }

  @Test
  void curveIsDrawnWhenTrainingDiverged() {
    Path file = folder.resolve("nan.svg");
    LossCurve curve = new LossCurve("diverged", file);
    curve.step(1, 1);
    curve.step(1, Double.NaN);
    curve.step(1, Double.POSITIVE_INFINITY);
    curve.epoch(1, Double.NaN, 0.1);
    curve.write();
    assertThat(file).isNotEmptyFile();
  }

  @Test
  void fileNameIsRefusedBeforeStartWhenWrong() {
    for (String name : new String[] {"loss", "loss.jpg", "png", "nowhere/loss.png"}) {
      assertThatThrownBy(() -> new LossCurve("t", folder.resolve(name)))
          .isInstanceOf(BadInputException.class)
          .hasMessageContaining(name);
    }
  }

  @Test
  void fileIsRefusedWhenItCannotBeWritten() throws IOException {
    Path file = folder.resolve("loss.svg");
    LossCurve curve = new LossCurve("t", file);
    curve.step(1, 1);
    curve.epoch(1, 1, 1);
    Files.createDirectory(file);
    assertThatThrownBy(curve::write)
        .isInstanceOf(FailedException.class)
        .hasMessageContaining("cannot write");
  }
}
