package io.hazelgrad.autograd.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.hazelgrad.autograd.internal.backend.CpuBackend;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/**
 * The calls with which libnd4j ends the process, or reads beyond an array, end in a failure or in
 * the right result here.
 */
class CrashListTest {
  private static final Tensor TABLE = Samples.counting(DType.FLOAT64, 5, 2);
  private static final Attributes NONE = Attributes.none();

  private final Backend backend = new CpuBackend();

  @Test
  void gatherIsRefusedWhenIndexIsOutOfRange() {
    for (long wrong : new long[] {5, 7, -1, Long.MAX_VALUE, Long.MIN_VALUE}) {
      String text = "index[1]=" + wrong + " is not within [0, 4]";
      assertRefused("index_select", text, Attributes.of("dim", 0), TABLE, Samples.longs(0, wrong));
      Tensor index = Tensor.of(new long[] {0, wrong}, 1, 2);
      assertRefused("gather", text, Attributes.of("dim", 0), TABLE, index);
    }
  }

  @Test
  void embeddingIsRefusedWhenRowIsAbsent() {
    assertRefused("embedding", "index[0]=5 is not within [0, 4]", NONE, Samples.longs(5, 0), TABLE);
    assertRefused(
        "embedding",
        "index[0]=0 is not within [0, -1]",
        NONE,
        Samples.longs(0),
        Tensor.zeros(DType.FLOAT64, 0, 2));
  }

  @Test
  void indexAddIsRefusedWhenPlaceIsAbsent() {
    Tensor values = Samples.doubles(1, 2);
    Tensor index = Samples.longs(0, 9);

    assertThat(failure(() -> backend.put(values, 0, index, 5)))
        .hasMessage("put: index 9 at position 1 of extent 5");
    assertThat(failure(() -> backend.scatter(values, 0, index, 5)))
        .hasMessage("scatter: index 9 at position 1 of extent 5");
  }

  @Test
  void divisionFollowsTorchWhenIntegersAreDividedByZero() {
    Tensor zeros = Tensor.zeros(DType.INT64, 2);

    assertThat(forward("div", NONE, Samples.longs(1, 0), zeros))
        .isEqualTo(Tensor.of(new float[] {Float.POSITIVE_INFINITY, Float.NaN}, 2));
    assertThat(forward("pow", NONE, zeros, Samples.longs(-1, 0)).toLongs()).containsExactly(0, 1);
    assertRefused("pow", "exponent=-1.0", Attributes.of("exponent", -1), zeros);
  }

  @Test
  void gradientIsRefusedWhenShapeDiffersFromOutput() {
    Tensor image = Samples.counting(DType.FLOAT64, 1, 1, 4, 4);
    Tensor vector = Samples.counting(DType.FLOAT64, 8);
    Attributes kernel = Attributes.of("kernel", 2);
    Saved pooled = run("max_pool2d", kernel, image).saved();
    Saved tanh = run("tanh", NONE, vector).saved();

    for (Tensor wrong :
        List.of(
            Tensor.zeros(DType.FLOAT64, 1, 1, 4, 4),
            Tensor.zeros(DType.FLOAT64, 4),
            Tensor.zeros(DType.FLOAT32, 1, 1, 2, 2))) {
      assertThat(failure(() -> backward("max_pool2d", pooled, wrong)))
          .hasMessageContaining("the gradient is " + TensorType.of(wrong));
      assertThat(failure(() -> backward("tanh", tanh, wrong)))
          .hasMessageContaining("the gradient is " + TensorType.of(wrong));
    }
  }

  @Test
  void sliceIsCutOffBeyondEnd() {
    Attributes wide = Attributes.of("start", 3, "end", 99);

    assertThat(forward("slice", wide, TABLE))
        .isEqualTo(Tensor.of(new double[] {7, 8, 9, 10}, 2, 2));
    assertThat(forward("slice", Attributes.of("start", 9), TABLE).hasShape(0, 2)).isTrue();
  }

  @Test
  void crossEntropyIsRefusedWhenClassIsAbsent() {
    for (String loss : List.of("cross_entropy", "nll_loss")) {
      assertRefused(
          loss, "target[0]=2 is not within [0, 1]", NONE, TABLE, Samples.longs(2, 0, 0, 0, 0));
    }
  }

  @Test
  void resultIsRefusedWhenTooLargeForAnyMemory() {
    Tensor one = Tensor.zeros(DType.FLOAT64, 1);
    long[] huge = {1L << 20, 1L << 20};
    long[] large = {1L << 30};

    assertRefused("expand", "over 2^31 - 9 elements", Attributes.of("shape", huge), one);
    assertRefused("expand", "the whole heap", Attributes.of("shape", large), one);
    assertRefused(
        "pad", "bytes, the whole heap", Attributes.of("pad", new long[] {1 << 30, 0}), one);
    Tensor pixel = Tensor.zeros(DType.FLOAT64, 1, 1, 1, 1);
    assertRefused("conv2d", "2^31 - 9", Attributes.of("padding", 1 << 20), pixel, pixel);
  }

  @Test
  void resultIsRejectedWhenMemoryIsUsedUp() {
    // One byte for each element, but computed with eight.
    long half = Runtime.getRuntime().maxMemory() / 2;
    long[] shape = {Math.min(half, Integer.MAX_VALUE / 2)};
    GridException failure =
        failure(
            () -> forward("expand", Attributes.of("shape", shape), Tensor.zeros(DType.INT8, 1)));

    assertThat(failure.status()).isEqualTo(Status.REJECTED);
    assertThat(failure).hasMessage("expand: no memory to compute with [INT8 [1]]");
  }

  private Forward run(String name, Attributes attributes, Tensor... inputs) {
    return Catalogue.get(name).forward(backend, List.of(inputs), attributes);
  }

  private Tensor forward(String name, Attributes attributes, Tensor... inputs) {
    return run(name, attributes, inputs).output();
  }

  private List<Tensor> backward(String name, Saved saved, Tensor gradient) {
    return Catalogue.get(name).backward(backend, saved, gradient, new boolean[] {true});
  }

  private void assertRefused(String name, String text, Attributes attributes, Tensor... inputs) {
    GridException failure = failure(() -> forward(name, attributes, inputs));
    assertThat(failure).hasMessageStartingWith(name + ": ").hasMessageContaining(text);
    assertThat(failure.status()).isEqualTo(Status.BAD_ARGUMENT);
  }

  private static GridException failure(ThrowingCallable call) {
    return catchThrowableOfType(GridException.class, call);
  }
}
