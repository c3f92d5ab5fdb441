package io.hazelgrad.cli.demo;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/** Computes gradients on its part of the digits, for a {@link ParameterServer}. */
@RemoteFunctions
public final class Trainer {
  private static final int BATCH = 16;
  private static final Function<Map<String, Tensor>> EXCHANGE =
      Function.async(ParameterServer::exchange);

  private final int index;
  private final int trainers;
  private final ImageSet digits;
  private final Module<Variable, Variable> model;

  /** Creates trainer {@code index} of {@code trainers}. */
  public Trainer(int index, int trainers, long seed) {
    this.index = index;
    this.trainers = trainers;
    this.digits = Digits.load(new Random(seed)).training();
    this.model = DemoLayers.classifier(seed);
  }

  /** Returns the number of full batches of an epoch that every trainer has. */
  static int stepsPerEpoch(ImageSet digits, int trainers) {
    return digits.size() / trainers / BATCH;
  }

  /** Makes the steps of an epoch and returns their number. */
  public int epoch(RRef<ParameterServer> server, int epoch) {
    model.load(server.sync(ParameterServer::parameters));
    int steps = stepsPerEpoch(digits, trainers);
    // All trainers shuffle in the same order, so their parts do not overlap.
    ImageSet part = digits.shuffled(new Random(epoch)).part(index, trainers);
    for (ImageSet batch : part.batches(BATCH).subList(0, steps)) {
      Variable loss =
          model.forward(Variable.of(batch.pixels())).crossEntropy(Variable.of(batch.labels()));
      loss.backward();
      List<Tensor> gradients =
          model.parameters().stream().map(each -> Objects.requireNonNull(each.grad())).toList();
      model.load(server.sync(EXCHANGE, index, loss.value().item(), gradients));
      model.zeroGrad();
    }
    return steps;
  }
}
