package io.hazelgrad.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The rounds of a parameter server, without a grid. */
final class ParameterServerTest {
  private final List<Double> losses = new ArrayList<>();
  private final Module<Variable, Variable> model = DemoLayers.classifier(1);
  private final ParameterServer server = new ParameterServer(model, 3, losses::add);

  private List<Tensor> gradients(double value) {
    return model.parameters().stream()
        .map(each -> Tensor.full(DType.FLOAT32, value, each.value().shape()))
        .toList();
  }

  @Test
  void lastTrainerOfRoundCompletesAllCalls() {
    float before = model.parameters().get(0).value().toFloats()[0];
    CompletableFuture<Map<String, Tensor>> second = server.exchange(1, 2, gradients(2));
    CompletableFuture<Map<String, Tensor>> first = server.exchange(0, 1, gradients(1));
    assertThat(first).isNotDone();
    assertThat(second).isNotDone();
    CompletableFuture<Map<String, Tensor>> third = server.exchange(2, 3, gradients(3));
    assertThat(Stream.of(first, second, third)).allMatch(CompletableFuture::isDone);
    // A step of SGD by the mean, 2, at a rate of 0.05.
    float after = third.join().values().iterator().next().toFloats()[0];
    assertThat((double) before - after).isBetween(0.0999, 0.1001);
    assertThat(first.join()).isEqualTo(third.join());
    assertThat(losses).containsExactly(2.0);
    assertThat(server.exchange(1, 2, gradients(2))).isNotDone(); // The next round.
  }

  @Test
  void resultIsIndependentOfOrderOfTrainers() {
    Module<Variable, Variable> other = DemoLayers.classifier(1);
    ParameterServer turned = new ParameterServer(other, 3, losses::add);
    List<CompletableFuture<Map<String, Tensor>>> answers = new ArrayList<>();
    double[] values = {0.1, 1e8, -1e8};
    for (int i = 0; i < 3; i++) {
      answers.add(server.exchange(i, i, gradients(values[i])));
      answers.add(turned.exchange(2 - i, 2 - i, gradients(values[2 - i])));
    }
    assertThat(answers).allMatch(CompletableFuture::isDone);
    for (int i = 0; i < model.parameters().size(); i++) {
      assertThat(value(other, i)).containsExactly(value(model, i));
    }
  }

  private static float[] value(Module<Variable, Variable> of, int index) {
    Variable parameter = of.parameters().get(index);
    return parameter.value().toFloats();
  }

  @Test
  void trainerIsRefusedTwiceInRound() {
    assertThat(server.exchange(1, 2, gradients(2))).isNotDone();
    assertThatThrownBy(() -> server.exchange(1, 2, gradients(2)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("trainer 1 of 3");
    assertThatThrownBy(() -> server.exchange(3, 2, gradients(2)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void waitingTrainersFailWhenOneFails() {
    CompletableFuture<Map<String, Tensor>> first = server.exchange(0, 1, gradients(1));
    server.fail(new IllegalStateException("trainer 2 is lost"));
    for (CompletableFuture<Map<String, Tensor>> answer :
        List.of(first, server.exchange(1, 1, gradients(1)))) {
      assertThatThrownBy(answer::join).hasRootCauseMessage("trainer 2 is lost");
    }
  }
}
