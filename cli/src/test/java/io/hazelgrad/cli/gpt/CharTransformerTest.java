package io.hazelgrad.cli.gpt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The stages of a transformer, and the whole of them. */
class CharTransformerTest {
  private static final CharTransformer.Shape SHAPE = new CharTransformer.Shape(7, 5, 5, 2, 4);

  private final CharTransformer whole = new CharTransformer(SHAPE, Init.seeded(1));

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void stagesComputeWhatTheWholeComputesWhenTheyHaveItsState(int stages) {
    Variable ids = Variable.of(Tensor.wrap(new long[] {1, 2, 3, 6, 5, 4}, 2, 3));
    Variable x = ids;
    List<String> names = new ArrayList<>();
    for (int i = 0; i < stages; i++) {
      CharTransformer stage = new CharTransformer(SHAPE, i, stages, Init.seeded(2));
      Map<String, Tensor> part = new LinkedHashMap<>(whole.state());
      part.keySet().retainAll(stage.state().keySet());
      stage.load(part);
      names.addAll(stage.state().keySet());
      x = stage.forward(x);
    }

    assertThat(names).containsExactlyElementsOf(whole.state().keySet());
    assertThat(x.value()).isEqualTo(whole.forward(ids).value());
    assertThat(x.value().shape()).containsExactly(2, 3, 7);
  }

  @Test
  void earlierStagesHaveTheLayersThatAreLeft() {
    assertThat(IntStream.range(0, 3).mapToObj(i -> layers(i, 3)))
        .containsExactly(List.of("0", "1"), List.of("2", "3"), List.of("4"));
  }

  private static List<String> layers(int stage, int stages) {
    var made = new CharTransformer(SHAPE, stage, stages, Init.seeded(1));
    return List.copyOf(made.children().get("layers").children().keySet());
  }

  @Test
  void predictionDependsOnEarlierCharactersOnly() {
    Variable one = Variable.of(Tensor.wrap(new long[] {1, 2, 3}, 1, 3));
    Variable other = Variable.of(Tensor.wrap(new long[] {1, 2, 6}, 1, 3));

    double[] scores = whole.forward(one).value().toDoubles();
    double[] others = whole.forward(other).value().toDoubles();

    assertThat(IntStream.range(0, 14).mapToObj(i -> scores[i]))
        .containsExactlyElementsOf(IntStream.range(0, 14).mapToObj(i -> others[i]).toList());
    assertThat(scores).isNotEqualTo(others);
  }

  @Test
  void modelIsRefusedWithItsNumbersWhenWrong() {
    assertThatThrownBy(() -> new CharTransformer.Shape(7, 5, 2, 3, 4))
        .isInstanceOf(GridException.class)
        .hasMessageContaining("heads=3 must divide width=4");
    assertThatThrownBy(() -> new CharTransformer(SHAPE, 0, 6, Init.seeded(1)))
        .isInstanceOf(GridException.class)
        .hasMessageContaining("stages=6")
        .hasMessageContaining("1 to 5");
    Variable row = Variable.of(Tensor.wrap(new long[6], 1, 6));
    assertThatThrownBy(() -> whole.forward(row))
        .isInstanceOf(GridException.class)
        .hasMessageContaining("at most 5 characters");
  }
}
