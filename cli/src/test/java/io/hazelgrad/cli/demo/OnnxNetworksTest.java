package io.hazelgrad.cli.demo;

import io.hazelgrad.autograd.NoGrad;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.autograd.onnx.OnnxExport;
import io.hazelgrad.autograd.onnx.OnnxModel;
import io.hazelgrad.cli.OnnxComparison;
import io.hazelgrad.grid.Tensor;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The networks of the demos give the same scores in ONNX Runtime. */
final class OnnxNetworksTest {
  private final Init init = Init.seeded(5);

  private void compare(UnaryOperator<Variable> network, long... picture) throws Exception {
    OnnxModel model =
        OnnxExport.of(
                Map.of("input", init.uniform(0, 1, batch(2, picture))),
                x -> Map.of("output", network.apply(x.get("input"))))
            .toModel();
    Tensor pictures = init.uniform(0, 1, batch(17, picture));
    Tensor scores = NoGrad.within(() -> network.apply(Variable.of(pictures))).value();
    OnnxComparison.requireScores(model, pictures, scores);
  }

  private static long[] batch(long size, long[] picture) {
    long[] shape = new long[picture.length + 1];
    shape[0] = size;
    System.arraycopy(picture, 0, shape, 1, picture.length);
    return shape;
  }

  @Test
  void trainedDigitsNetworkGivesTheSameScores() throws Exception {
    ServedDigits digits = new ServedDigits();
    digits.train(1);
    OnnxComparison.requireScores(digits.export(), digits.picture(3), digits.scores(3));
  }

  @Test
  void digitsNetworkOfStagesGivesTheSameScores() throws Exception {
    compare(Stage.ofDigits(0, 4, 4, 1)::forward, 64);
  }

  @Test
  void convolutionalNetworkOfThePipelineGivesTheSameScores() throws Exception {
    Stage[] stages = {
      Stage.ofPipeline(0, 4, 1), Stage.ofPipeline(1, 4, 1), Stage.ofPipeline(2, 4, 1)
    };
    compare(x -> stages[2].forward(stages[1].forward(stages[0].forward(x))), 64);
  }

  @Test
  void convolutionalNetworkOfMnistGivesTheSameScores() throws Exception {
    compare(Stage.ofMnist(0, Stage.MNIST_LAYERS, 1)::forward, 1, 28, 28);
  }
}
