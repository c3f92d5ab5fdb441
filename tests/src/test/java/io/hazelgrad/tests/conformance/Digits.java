package io.hazelgrad.tests.conformance;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Tensor;
import java.io.BufferedReader;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPInputStream;

/** Handwritten digits of the demos, in random order. */
final class Digits {
  static final int PIXELS = 64;
  static final int CLASSES = 10;

  private static final String FILE = "/io/hazelgrad/cli/demo/digits.csv.gz";
  private static final float BRIGHTEST = 16;

  /** The lines: the pixels of a digit, and then its class. */
  private final List<int[]> lines;

  private Digits(List<int[]> lines) {
    this.lines = lines;
  }

  static Digits load(long seed) {
    try (InputStream file = Digits.class.getResourceAsStream(FILE)) {
      if (file == null) {
        throw new FileNotFoundException(FILE + " is not on the class path");
      }
      BufferedReader reader =
          new BufferedReader(
              new InputStreamReader(new GZIPInputStream(file), StandardCharsets.US_ASCII));
      List<int[]> all = new ArrayList<>(reader.lines().map(Digits::numbers).toList());
      Collections.shuffle(all, new Random(seed));
      return new Digits(all);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int[] numbers(String line) {
    String[] cells = line.split(",", -1);
    int[] numbers = new int[cells.length];
    for (int i = 0; i < cells.length; i++) {
      numbers[i] = Integer.parseInt(cells[i]);
    }
    return numbers;
  }

  int size() {
    return lines.size();
  }

  Digits slice(int from, int count) {
    return new Digits(lines.subList(from, from + count));
  }

  Tensor pixels() {
    float[] pixels = new float[size() * PIXELS];
    for (int i = 0; i < pixels.length; i++) {
      pixels[i] = lines.get(i / PIXELS)[i % PIXELS] / BRIGHTEST;
    }
    return Tensor.wrap(pixels, size(), PIXELS);
  }

  Variable labels() {
    return Variable.of(
        Tensor.wrap(lines.stream().mapToLong(line -> line[PIXELS]).toArray(), size()));
  }

  /** Returns the fraction of the digits whose own class has the highest score. */
  double accuracy(Tensor scores) {
    double[] values = scores.toDoubles();
    int right = 0;
    for (int row = 0; row < size(); row++) {
      int best = 0;
      for (int i = 1; i < CLASSES; i++) {
        if (values[row * CLASSES + i] > values[row * CLASSES + best]) {
          best = i;
        }
      }
      right += best == lines.get(row)[PIXELS] ? 1 : 0;
    }
    return (double) right / size();
  }
}
