package io.hazelgrad.autograd.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Operations, attributes and tensor types from the outside. */
class CatalogueTest {
  @Test
  void nameFindsItsOperation() {
    assertThat(Catalogue.names()).hasSize(93).contains("matmul", "cross_entropy");
    for (String name : Catalogue.names()) {
      assertThat(Catalogue.get(name).name()).isEqualTo(name);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "matmull, matmul",
    "MatMul, matmul",
    "softmx, softmax",
    "maxpool, max_pool2d",
    "crossEntropy, cross_entropy",
    "mse, mse_loss",
    "ad, add"
  })
  void aMisspelledNameIsAnsweredWithNearOnes(String wrong, String meant) {
    GridException failure = catchThrowableOfType(GridException.class, () -> Catalogue.get(wrong));

    assertThat(failure.status()).isEqualTo(Status.UNKNOWN_FUNCTION);
    assertThat(failure)
        .hasMessageStartingWith("no operation " + wrong + "; did you mean [")
        .hasMessageContaining(meant);
  }

  @Test
  void unknownNameIsRefusedWithAllNames() {
    for (String wrong : List.of("zzzzz", "", "x".repeat(100_000))) {
      assertThat(catchThrowableOfType(GridException.class, () -> Catalogue.get(wrong)))
          .hasMessageEndingWith("; there are " + Catalogue.names());
    }
  }

  @Test
  void attributesAreNormalized() {
    Attributes one = Attributes.of(Map.of("dim", new int[] {1, 2}, "p", 0.5f, "n", (byte) 3));
    Attributes other = Attributes.of(Map.of("dim", List.of(1L, 2L), "p", 0.5, "n", 3L));

    assertThat(one).isEqualTo(other).hasSameHashCodeAs(other);
    assertThat(one.integers("op", "dim")).containsExactly(1, 2);
    assertThat(one.integers("op", "n")).containsExactly(3);
    assertThat(one.integers("op", "absent")).isNull();
    assertThat(Attributes.of(one.asMap())).isEqualTo(one);
  }

  @Test
  void attributesAreCopiedFromMap() {
    Map<String, Object> map = new HashMap<>(Map.of("dim", Arrays.asList(1, 2)));
    Attributes attributes = Attributes.of(map);
    map.clear();

    assertThat(attributes.integers("op", "dim")).containsExactly(1, 2);
  }

  @Test
  void attributeIsRefusedWhenKindIsWrong() {
    Map<String, Object> withNull = new HashMap<>();
    withNull.put("dim", null);

    assertThat(catchThrowableOfType(GridException.class, () -> Attributes.of("dim", new Object())))
        .hasMessage("attributes: dim cannot be a java.lang.Object");
    assertThat(catchThrowableOfType(GridException.class, () -> Attributes.of(withNull)))
        .hasMessage("attributes: dim cannot be a null");
  }

  @Test
  void tensorTypesCompareByTypeAndShape() {
    TensorType type = new TensorType(DType.FLOAT32, 2, 3);

    assertThat(type)
        .isEqualTo(TensorType.of(Tensor.zeros(DType.FLOAT32, 2, 3)))
        .isNotEqualTo(new TensorType(DType.FLOAT64, 2, 3))
        .isNotEqualTo(new TensorType(DType.FLOAT32, 3, 2))
        .hasToString("FLOAT32 [2, 3]");
    assertThat(catchThrowableOfType(GridException.class, () -> new TensorType(DType.INT8, -1)))
        .hasMessage("tensor: negative extent: shape=[-1]");
  }
}
