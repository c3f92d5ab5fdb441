package io.hazelgrad.autograd.internal.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The modes of padding; the examples of values are those of torch's documentation. */
class PaddingTest {
  private static Tensor upTo(long... shape) {
    double[] values = new double[Math.toIntExact(Tensor.sizeOf(shape))];
    Arrays.setAll(values, i -> i);
    return Tensor.wrap(values, shape);
  }

  private static Variable pad(String mode, Variable x, long... pad) {
    return Variable.apply("pad", Attributes.of(Map.of("pad", pad, "mode", mode)), x);
  }

  private static double[] numbers(String text) {
    return Arrays.stream(text.split(" ", -1)).mapToDouble(Double::parseDouble).toArray();
  }

  @ParameterizedTest
  @CsvSource({
    "reflect, 2 1 0 1 2 3 2 1 6 5 4 5 6 7 6 5, 1 3 3 1",
    "replicate, 0 0 0 1 2 3 3 3 4 4 4 5 6 7 7 7, 3 1 1 3",
    "circular, 2 3 0 1 2 3 0 1 6 7 4 5 6 7 4 5, 2 2 2 2",
    "constant, 0 0 0 1 2 3 0 0 0 0 4 5 6 7 0 0, 1 1 1 1"
  })
  void twoOnEitherSide(String mode, String expected, String gradientOfARow) {
    Variable x = Variable.parameter(upTo(1, 2, 4));
    Variable padded = pad(mode, x, 2, 2);
    assertThat(padded.value().shape()).containsExactly(1, 2, 8);
    assertThat(padded.value().toDoubles()).isEqualTo(numbers(expected));
    padded.sum().backward();
    double[] gradient = Objects.requireNonNull(x.grad()).toDoubles();
    assertThat(gradient).isEqualTo(numbers(gradientOfARow + " " + gradientOfARow));
  }

  @ParameterizedTest
  @CsvSource({
    "reflect, 7 6 7 8 7 4 3 4 5 4 1 0 1 2 1 4 3 4 5 4 7 6 7 8 7",
    "replicate, 0 0 1 2 2 0 0 1 2 2 0 0 1 2 2 3 3 4 5 5 6 6 7 8 8",
    "circular, 5 3 4 5 3 8 6 7 8 6 2 0 1 2 0 5 3 4 5 3 8 6 7 8 6"
  })
  void anotherNumberOnEachSideOfTwoDimensions(String mode, String expected) {
    Variable padded = pad(mode, Variable.of(upTo(1, 1, 3, 3)), 1, 1, 2, 0);
    assertThat(padded.value().shape()).containsExactly(1, 1, 5, 5);
    assertThat(padded.value().toDoubles()).isEqualTo(numbers(expected));
  }

  @Test
  void negativePaddingCuts() {
    Variable x = Variable.parameter(upTo(4));
    Variable padded = pad("reflect", x, -1, 2);
    assertThat(padded.value().toDoubles()).containsExactly(1, 2, 3, 2, 1);
    padded.sum().backward();
    assertThat(Objects.requireNonNull(x.grad()).toDoubles()).containsExactly(0, 2, 2, 1);
  }

  @Test
  void emptyTensorStaysEmpty() {
    assertThat(pad("circular", Variable.of(upTo(0, 3)), 1, 2).value().shape())
        .containsExactly(0, 6);
  }

  @Test
  void paddingIsRefusedWhenDimensionIsAbsent() {
    Variable x = Variable.of(upTo(2, 3));
    refused(
        () -> pad("reflect", x, 3, 0), "pad=[3, 0] takes more than dimension 1", "mode=reflect");
    refused(() -> pad("circular", x, 0, 4), "pad=[0, 4] takes more than dimension 1");
    refused(() -> pad("reflect", x, 1, 1, 0, 2), "takes more than dimension 0");
    refused(() -> pad("replicate", Variable.of(upTo(2, 0)), 1, 0), "takes more than dimension 1");
    refused(() -> pad("mirror", x, 1, 1), "mode=mirror must be one of");
    Map<String, Object> valued = Map.of("pad", new long[] {1, 1}, "mode", "reflect", "value", 2);
    refused(() -> Variable.apply("pad", Attributes.of(valued), x), "value=2.0 has no part");
  }

  private static void refused(Runnable padding, String... parts) {
    assertThatThrownBy(padding::run)
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).isEqualTo(Status.BAD_ARGUMENT))
        .hasMessageContainingAll(parts);
  }
}
