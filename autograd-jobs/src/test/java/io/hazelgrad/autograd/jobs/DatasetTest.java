package io.hazelgrad.autograd.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Data sets of files and arrays, and the errors of wrong ones. */
final class DatasetTest {
  @TempDir private Path folder;

  private static void assertBad(Supplier<?> work, String message) {
    assertThatThrownBy(work::get)
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).isEqualTo(Status.BAD_ARGUMENT))
        .hasMessageContaining(message);
  }

  private Path csv(String... lines) {
    return write("rows.csv", String.join("\n", lines).getBytes(UTF_8));
  }

  private Path write(String name, byte[] content) {
    try {
      return Files.write(folder.resolve(name), content);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void csvHasTheTargetInAnyColumn() {
    Path file = csv("x,class,y", "0.5, 1 ,-2", "1e-1,0,3");
    Dataset<Example> data = Dataset.csv(file, 1, 1);
    assertThat(data.size()).isEqualTo(2);
    List<Example> rows = List.of(data.row(0), data.row(1));
    assertThat(Example.values(rows).toFloats()).containsExactly(0.5f, -2f, 0.1f, 3f);
    assertThat(Example.values(rows).shape()).containsExactly(2, 2);
    assertThat(Example.classes(rows).toLongs()).containsExactly(1, 0);
    assertThat(Example.targets(rows).shape()).containsExactly(2, 1);
  }

  @Test
  void csvIsRefusedWithLineAndColumnWhenItIsWrong() {
    assertBad(() -> Dataset.csv(csv("x,y", "1,2", "1,two"), 1, 1), "line 3 of ");
    assertBad(
        () -> Dataset.csv(csv("x,y", "1,2", "1,two"), 1, 1),
        "has no number in column 2, but \"two\"");
    assertBad(() -> Dataset.csv(csv("1,NaN"), 0, 1), "has no number in column 2, but \"NaN\"");
    assertBad(
        () -> Dataset.csv(csv("1,2", "1,2,3"), 0, 0), "has 3 columns, but the first row has 2");
    assertBad(
        () -> Dataset.csv(csv("1,2"), 0, 2), "has 2 columns, so none of them is target column 2");
    assertBad(() -> Dataset.csv(csv("1"), 0, 0), "has 1 columns, so none");
    assertBad(() -> Dataset.csv(csv("x,y"), 1, 0), "has 1 lines, so no row after the first 1");
    assertBad(() -> Dataset.csv(folder.resolve("none.csv"), 0, 0), "cannot read the rows in ");
  }

  @Test
  void idxHasBytesAsSharesOfOne() {
    Path pictures =
        write("pictures", new byte[] {0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 2, 0, 51, -1, 0});
    Path labels = write("labels", new byte[] {0, 0, 8, 1, 0, 0, 0, 2, 7, -1});
    Dataset<Example> data = Dataset.idx(pictures, 2, labels);
    assertThat(data.size()).isEqualTo(2);
    assertThat(data.row(0).values()).containsExactly(0, 0.2f);
    assertThat(data.row(1).values()).containsExactly(1, 0);
    assertThat(data.row(0).target()).isEqualTo(7);
    assertThat(data.row(1).target()).isEqualTo(255);
  }

  @Test
  void idxIsRefusedWhenItsFilesDoNotFit() {
    Path three = write("three", new byte[] {0, 0, 8, 1, 0, 0, 0, 3, 1, 2, 3});
    Path two = write("two", new byte[] {0, 0, 8, 1, 0, 0, 0, 2, 1, 2});
    Path cut = write("cut", new byte[] {0, 0, 8, 1, 0, 0, 0, 2, 1});
    assertBad(() -> Dataset.idx(three, 1, two), "three has 3 rows, but");
    assertBad(() -> Dataset.idx(three, 1, cut), "cut is cut: it has 1 of 2 bytes");
    assertBad(() -> Dataset.idx(three, 2, two), "has 1 dimensions, but 2 are needed");
    assertBad(() -> Dataset.idx(csv("1,2,3,4"), 1, two), "is no IDX file of bytes");
  }

  @Test
  void arraysAreRefusedWhenTheyDoNotFit() {
    assertThat(Dataset.arrays(new float[][] {{1}, {2}}, new double[] {3, 4}).row(1).target())
        .isEqualTo(4);
    assertBad(
        () -> Dataset.arrays(new float[][] {{1}}, new double[] {3, 4}),
        "there are 1 rows of values and 2 targets");
    assertBad(() -> Dataset.arrays(new float[0][], new double[0]), "there are 0 rows");
  }

  @Test
  void batchIsRefusedWhenItsRowsDoNotFit() {
    List<Example> rows =
        List.of(new Example(new float[] {1}, 0.5), new Example(new float[] {1, 2}, 1));
    assertBad(() -> Example.values(rows), "row 1 of a batch has 2 values, but the first one has 1");
    assertBad(() -> Example.classes(rows), "row 0 of a batch has the target 0.5");
    assertBad(() -> Example.values(List.of()), "there are no rows");
  }
}
