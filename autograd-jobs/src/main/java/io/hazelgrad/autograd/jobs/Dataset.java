package io.hazelgrad.autograd.jobs;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntFunction;

/**
 * Numbered rows that can be read in any order and again. Implement it for a file format of your
 * own. One thread of each trainer reads.
 *
 * @param <R> a row
 */
public interface Dataset<R> {
  /** Returns the number of rows. */
  int size();

  /** Returns a row, from 0; the same number gives the same row. */
  R row(int number);

  /** Makes a data set of a list, which must not change. */
  static <R> Dataset<R> of(List<R> rows) {
    return of(rows.size(), rows::get);
  }

  /** Makes a data set whose rows a function makes from their numbers. */
  static <R> Dataset<R> of(int size, IntFunction<R> rows) {
    return new Dataset<>() {
      @Override
      public int size() {
        return size;
      }

      @Override
      public R row(int number) {
        return rows.apply(number);
      }
    };
  }

  /**
   * Reads a text file, in UTF-8, whose lines are rows, such as CSV. The lines are kept in memory
   * and parsed each time they are used.
   *
   * @param file the file, which every trainer has
   * @param skip the number of lines before the first row, such as 1 for a header
   * @throws GridException BAD_ARGUMENT if the file cannot be read or has no row
   */
  static <R> Dataset<R> lines(Path file, int skip, Function<String, R> parser) {
    List<String> rows = read(file, skip);
    return of(rows.size(), number -> parser.apply(rows.get(number)));
  }

  private static List<String> read(Path file, int skip) {
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (IOException e) {
      throw new GridException(
          Status.BAD_ARGUMENT, "cannot read the rows in " + file.toAbsolutePath() + ": " + e, e);
    }
    if (skip < 0 || lines.size() <= skip) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "%s has %d lines, so no row after the first %d"
              .formatted(file.toAbsolutePath(), lines.size(), skip));
    }
    return lines.subList(skip, lines.size());
  }

  /**
   * Reads a text file, in UTF-8, of numbers between commas: one column is the target, the others
   * are the values. All numbers are kept in memory. For other formats there is {@link #lines}.
   *
   * @param file the file, which every trainer has
   * @param skip the number of lines before the first row, such as 1 for a header
   * @param targetColumn the number of the target's column, from 0
   * @throws GridException BAD_ARGUMENT with line and column if the file is missing or wrong
   */
  static Dataset<Example> csv(Path file, int skip, int targetColumn) {
    return of(new CsvRows(file, targetColumn).parse(read(file, skip), skip + 1));
  }

  /**
   * Reads two IDX files of unsigned bytes, such as MNIST's pictures and labels, plain or compressed
   * with gzip. The values of a row are its bytes divided by 255, so 0 to 1.
   *
   * @param values the file of the rows
   * @param dimensions the number of its dimensions, such as 3 for pictures
   * @param targets the file of the targets, of one dimension
   * @throws GridException BAD_ARGUMENT if a file is missing or wrong, or the numbers of rows differ
   */
  static Dataset<Example> idx(Path values, int dimensions, Path targets) {
    IdxFile rows = IdxFile.read(values, dimensions);
    IdxFile labels = IdxFile.read(targets, 1);
    int size = rows.shape()[0];
    if (size != labels.shape()[0]) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "%s has %d rows, but %s has %d targets"
              .formatted(values, size, targets, labels.shape()[0]));
    }
    int width = rows.data().length / size;
    return of(
        size,
        number -> {
          float[] row = new float[width];
          for (int i = 0; i < width; i++) {
            row[i] = (rows.data()[number * width + i] & 0xff) / 255f;
          }
          return new Example(row, labels.data()[number] & 0xff);
        });
  }

  /**
   * Makes a data set of arrays, which must not change.
   *
   * @throws GridException BAD_ARGUMENT if there are no rows, or not as many targets as rows
   */
  static Dataset<Example> arrays(float[][] values, double[] targets) {
    if (values.length == 0 || values.length != targets.length) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "there are %d rows of values and %d targets, but both must be the same number, at least 1"
              .formatted(values.length, targets.length));
    }
    return of(values.length, number -> new Example(values[number], targets[number]));
  }
}
