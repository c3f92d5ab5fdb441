package io.hazelgrad.autograd.jobs;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.nio.file.Path;
import java.util.List;

/** Reads lines of numbers between commas; its errors name file, line and column, from 1. */
record CsvRows(Path file, int targetColumn) {
  /**
   * Makes rows of lines.
   *
   * @param firstNumber the number of the first of them in the file, from 1
   */
  List<Example> parse(List<String> lines, int firstNumber) {
    int width = lines.get(0).split(",", -1).length;
    if (width < 2 || targetColumn < 0 || targetColumn >= width) {
      throw bad(
          firstNumber,
          "has %d columns, so none of them is target column %d, counted from 0, beside a value"
              .formatted(width, targetColumn));
    }
    Example[] rows = new Example[lines.size()];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = row(lines.get(i), firstNumber + i, width);
    }
    return List.of(rows);
  }

  private Example row(String line, int number, int width) {
    String[] cells = line.split(",", -1);
    if (cells.length != width) {
      throw bad(number, "has %d columns, but the first row has %d".formatted(cells.length, width));
    }
    float[] values = new float[width - 1];
    double target = 0;
    for (int i = 0; i < width; i++) {
      double cell = cell(cells[i], number, i);
      if (i == targetColumn) {
        target = cell;
      } else {
        values[i < targetColumn ? i : i - 1] = (float) cell;
      }
    }
    return new Example(values, target);
  }

  private double cell(String text, int line, int column) {
    try {
      double value = Double.parseDouble(text.strip());
      if (Double.isFinite(value)) {
        return value;
      }
    } catch (NumberFormatException e) {
      // The error below says more.
    }
    throw bad(line, "has no number in column %d, but \"%s\"".formatted(column + 1, text));
  }

  private GridException bad(int line, String what) {
    return new GridException(
        Status.BAD_ARGUMENT, "line %d of %s %s".formatted(line, file.toAbsolutePath(), what));
  }
}
