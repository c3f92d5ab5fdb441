package io.hazelgrad.cli.demo;

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

/**
 * Handwritten digits: rows of 64 pixels between 0 and 1, and the class of each.
 *
 * @param rows the digits
 */
record Digits(List<Row> rows) {
  static final int PIXELS = 64;
  static final int CLASSES = 10;

  private static final String FILE = "digits.csv.gz";
  private static final float BRIGHTEST = 16;

  /** One digit. */
  record Row(List<Float> pixels, int label) {}

  /** Reads the bundled digits. */
  static Digits load() {
    try (InputStream file = Digits.class.getResourceAsStream(FILE)) {
      if (file == null) {
        throw new FileNotFoundException(FILE + " is not on the class path");
      }
      BufferedReader reader =
          new BufferedReader(
              new InputStreamReader(new GZIPInputStream(file), StandardCharsets.US_ASCII));
      return new Digits(reader.lines().map(Digits::row).toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Row row(String line) {
    String[] cells = line.split(",", -1);
    List<Float> pixels = new ArrayList<>(PIXELS);
    for (int i = 0; i < PIXELS; i++) {
      pixels.add(Integer.parseInt(cells[i]) / BRIGHTEST);
    }
    return new Row(pixels, Integer.parseInt(cells[PIXELS]));
  }

  int size() {
    return rows.size();
  }

  /** Returns the same digits in an order that the random numbers decide. */
  Digits shuffled(Random random) {
    List<Row> copy = new ArrayList<>(rows);
    Collections.shuffle(copy, random);
    return new Digits(copy);
  }

  /** Returns the digits from one index up to, but without, another. */
  Digits slice(int from, int to) {
    return new Digits(rows.subList(from, to));
  }

  /** Returns these digits in groups of {@code size}; the last one may be smaller. */
  List<Digits> batches(int size) {
    List<Digits> batches = new ArrayList<>();
    for (int from = 0; from < size(); from += size) {
      batches.add(slice(from, Math.min(size(), from + size)));
    }
    return batches;
  }

  /** Returns the pixels, FLOAT32 [size, 64]. */
  Tensor pixels() {
    float[] data = new float[size() * PIXELS];
    int next = 0;
    for (Row row : rows) {
      for (float pixel : row.pixels()) {
        data[next++] = pixel;
      }
    }
    return Tensor.wrap(data, size(), PIXELS);
  }

  /** Returns the classes, INT64 [size]. */
  Tensor labels() {
    return Tensor.wrap(rows.stream().mapToLong(Row::label).toArray(), size());
  }

  /** Returns which part of these digits has its greatest score at the right class. */
  double accuracy(Tensor scores) {
    float[] values = scores.toFloats();
    int right = 0;
    for (int i = 0; i < size(); i++) {
      int best = 0;
      for (int c = 1; c < CLASSES; c++) {
        if (values[i * CLASSES + c] > values[i * CLASSES + best]) {
          best = c;
        }
      }
      right += best == rows.get(i).label() ? 1 : 0;
    }
    return (double) right / size();
  }
}
