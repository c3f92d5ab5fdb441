package io.hazelgrad.autograd.internal.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.autograd.ops.Filter;
import io.hazelgrad.autograd.ops.Window;
import io.hazelgrad.autograd.spi.ColumnConvolution;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;

/** Large convolutions by oneDNN, beside the same ones by laid out windows. */
@EnabledOnOs(
    architectures = {"amd64", "x86_64"},
    disabledReason = "only for x86-64 is there a build of ND4J with oneDNN")
class NativeConvolutionTest {
  private static final int CASES = Boolean.getBoolean("hazelgrad.tests.full") ? 300 : 60;
  private static final double NEAR = 1e-4;

  private final CpuBackend backend = new CpuBackend();
  private final Random random = new Random(7);

  @BeforeEach
  void thereIsOneDnn() {
    assertThat(NativeConvolution.HAS_ONEDNN).isTrue();
  }

  private int upTo(int most) {
    return 1 + random.nextInt(most);
  }

  private Tensor tensor(long... shape) {
    float[] values = new float[(int) Tensor.sizeOf(shape)];
    for (int i = 0; i < values.length; i++) {
      values[i] = random.nextFloat() - 0.5f;
    }
    return Tensor.of(values, shape);
  }

  /** Windows along an extent; null if there is no room for one. */
  private @Nullable Window window(int extent) {
    long kernel = upTo(5);
    long stride = upTo(3);
    long padding = random.nextInt(4);
    long room = extent + 2 * padding - kernel;
    return room < 0 ? null : new Window(kernel, stride, padding, 1, room / stride + 1);
  }

  @Test
  void convolutionMatchesWindows() {
    int compared = 0;
    while (compared < CASES) {
      int height = upTo(40);
      int width = upTo(40);
      Window rows = window(height);
      Window columns = window(width);
      if (rows == null || columns == null) {
        continue;
      }
      Filter filter = new Filter(rows, columns, 1);
      Tensor a = tensor(upTo(4), upTo(20), height, width);
      Tensor weight = tensor(upTo(20), a.shape(1), rows.kernel(), columns.kernel());
      if (!CpuConvolution.isNative(a, weight, filter)) {
        continue;
      }
      compared++;
      ColumnConvolution slow = new ColumnConvolution(backend, filter, weight);
      Tensor output = backend.convolve(a, weight, filter);
      assertSame(output, slow.convolve(a));
      Tensor g = tensor(output.shape());
      List<@Nullable Tensor> gradients =
          backend.convolveGradients(a, weight, g, filter, true, true);
      assertSame(gradients.get(0), slow.gradientOfInput(g, a.shape()));
      assertSame(gradients.get(1), slow.gradientOfWeight(g, a));
    }
  }

  private static void assertSame(@Nullable Tensor actual, Tensor expected) {
    assertThat(actual).isNotNull();
    assertThat(actual.shape()).isEqualTo(expected.shape());
    float[] values = actual.toFloats();
    float[] wanted = expected.toFloats();
    double worst = 0;
    for (int i = 0; i < wanted.length; i++) {
      worst = Math.max(worst, Math.abs(values[i] - wanted[i]));
    }
    assertThat(worst).isLessThan(NEAR);
  }

  @Test
  void convolutionIsRepeatable() {
    Filter filter = new Filter(new Window(3, 1, 1, 1, 32), new Window(3, 1, 1, 1, 32), 1);
    Tensor a = tensor(8, 16, 32, 32);
    Tensor weight = tensor(16, 16, 3, 3);
    Tensor g = tensor(8, 16, 32, 32);
    Tensor output = backend.convolve(a, weight, filter);
    Tensor ofWeight = gradientOfWeight(a, weight, g, filter);
    for (int i = 0; i < 10; i++) {
      assertThat(backend.convolve(a, weight, filter).toFloats()).isEqualTo(output.toFloats());
      assertThat(gradientOfWeight(a, weight, g, filter).toFloats()).isEqualTo(ofWeight.toFloats());
    }
  }

  private Tensor gradientOfWeight(Tensor a, Tensor weight, Tensor g, Filter filter) {
    Tensor gradient = backend.convolveGradients(a, weight, g, filter, false, true).get(1);
    assertThat(gradient).isNotNull();
    return gradient;
  }

  @Test
  void convolutionIsRefusedBeyondBounds() {
    Tensor a = tensor(8, 16, 32, 32);
    Tensor weight = tensor(16, 16, 3, 3);
    Window right = new Window(3, 1, 1, 1, 32);
    for (Window wrong :
        List.of(
            new Window(3, 1, 1, 1, 33),
            new Window(5, 1, 1, 1, 32),
            new Window(3, 1, -1, 1, 28),
            new Window(3, 0, 1, 1, 32))) {
      assertThatThrownBy(() -> backend.convolve(a, weight, new Filter(wrong, right, 1)))
          .isInstanceOf(GridException.class)
          .hasMessageContaining("convolve");
    }
    Filter filter = new Filter(right, right, 1);
    assertThatThrownBy(() -> backend.convolve(a, tensor(16, 15, 3, 3), filter))
        .isInstanceOf(GridException.class)
        .hasMessageContaining("[16, 15, 3, 3]");
    assertThatThrownBy(
            () -> backend.convolveGradients(a, weight, tensor(8, 16, 31, 32), filter, true, true))
        .isInstanceOf(GridException.class)
        .hasMessageContaining("[8, 16, 31, 32]");
    assertThatThrownBy(
            () ->
                backend.convolveGradients(
                    a, weight, Tensor.zeros(DType.FLOAT64, 8, 16, 32, 32), filter, true, true))
        .isInstanceOf(GridException.class)
        .hasMessageContaining("FLOAT64");
  }
}
