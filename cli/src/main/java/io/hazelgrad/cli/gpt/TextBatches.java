package io.hazelgrad.cli.gpt;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;

/**
 * The batches of a text. Every worker computes the rows that it needs by itself: row b of step t
 * begins at character {@code (t * size + b) * stride}, and continues at the beginning of the text
 * when it would go beyond the last full row.
 *
 * @param text the text, of characters below 128
 * @param block the number of characters of a row
 * @param size the number of rows of a batch
 * @param stride the number of characters from the beginning of a row to that of the next one
 */
@RemoteValue
public record TextBatches(String text, int block, int size, int stride) {
  private static final int CHARACTERS = 128;

  /** Checks numbers and text: BAD_ARGUMENT. */
  public TextBatches {
    if (block < 1 || size < 1 || stride < 0) {
      throw bad(
          "block=%d and batch=%d must be at least 1, stride=%d not negative"
              .formatted(block, size, stride));
    }
    if (block > text.length() - 2) {
      throw bad(
          "a text of %d characters is too short for block=%d, which needs block + 2"
              .formatted(text.length(), block));
    }
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) >= CHARACTERS) {
        throw bad(
            "the text has character %d at place %d; all must be below %d"
                .formatted((int) text.charAt(i), i, CHARACTERS));
      }
    }
  }

  /**
   * Some rows of a batch.
   *
   * @param ids INT64 characters {@code [rows, block]}
   * @param targets the characters that follow, of the same shape
   */
  public record Batch(Tensor ids, Tensor targets) {}

  /** Returns the rows of a step from one (inclusive) to another (exclusive). */
  public Batch batch(int step, int fromRow, int toRow) {
    if (step < 0 || fromRow < 0 || fromRow > toRow || toRow > size) {
      throw bad(
          "no rows from %d to %d in step %d of batches of %d rows"
              .formatted(fromRow, toRow, step, size));
    }
    int rows = toRow - fromRow;
    long[] ids = new long[rows * block];
    long[] targets = new long[rows * block];
    for (int row = 0; row < rows; row++) {
      int start = start(step, fromRow + row);
      for (int i = 0; i < block; i++) {
        ids[row * block + i] = text.charAt(start + i);
        targets[row * block + i] = text.charAt(start + i + 1);
      }
    }
    return new Batch(Tensor.wrap(ids, rows, block), Tensor.wrap(targets, rows, block));
  }

  private int start(int step, int row) {
    int starts = text.length() - block - 1;
    // Reduced before the second product, which could be too large for a long.
    return (int) (((long) step * size + row) % starts * stride % starts);
  }

  private static GridException bad(String message) {
    return new GridException(Status.BAD_ARGUMENT, message);
  }
}
