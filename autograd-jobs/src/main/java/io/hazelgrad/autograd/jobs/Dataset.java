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
    return of(lines.size() - skip, number -> parser.apply(lines.get(number + skip)));
  }
}
