package io.hazelgrad.cli.demo;

import java.io.BufferedReader;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPInputStream;

/**
 * The bundled handwritten digits, of 64 pixels each.
 *
 * @param training the digits for training
 * @param heldOut the digits for the accuracy
 */
record Digits(ImageSet training, ImageSet heldOut) {
  /** The pixels of a row and of a column. */
  static final int EXTENT = 8;

  static final int PIXELS = EXTENT * EXTENT;
  static final int CLASSES = 10;

  private static final String FILE = "digits.csv.gz";
  private static final float BRIGHTEST = 16;
  private static final int HELD_OUT = 360;

  /** Reads the digits; the random numbers select those that are held out. */
  static Digits load(Random random) {
    ImageSet all = read().shuffled(random);
    return new Digits(all.slice(HELD_OUT, all.size()), all.slice(0, HELD_OUT));
  }

  private static ImageSet read() {
    try (InputStream file = Digits.class.getResourceAsStream(FILE)) {
      if (file == null) {
        throw new FileNotFoundException(FILE + " is not on the class path");
      }
      BufferedReader reader =
          new BufferedReader(
              new InputStreamReader(new GZIPInputStream(file), StandardCharsets.US_ASCII));
      return images(reader.lines().map(line -> line.split(",", -1)).toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ImageSet images(List<String[]> lines) {
    float[] pixels = new float[lines.size() * PIXELS];
    int[] labels = new int[lines.size()];
    for (int row = 0; row < labels.length; row++) {
      String[] cells = lines.get(row);
      for (int i = 0; i < PIXELS; i++) {
        pixels[row * PIXELS + i] = Integer.parseInt(cells[i]) / BRIGHTEST;
      }
      labels[row] = Integer.parseInt(cells[PIXELS]);
    }
    return ImageSet.of(pixels, labels, PIXELS);
  }
}
