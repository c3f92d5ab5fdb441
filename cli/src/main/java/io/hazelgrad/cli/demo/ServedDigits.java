package io.hazelgrad.cli.demo;

import io.hazelgrad.autograd.NoGrad;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.onnx.OnnxExport;
import io.hazelgrad.autograd.onnx.OnnxModel;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** The digits of {@code demo serve}: a network that is trained here, and pictures to ask about. */
public final class ServedDigits {
  private static final int BATCH = 32;

  private final PictureFit fit = new PictureFit(null);
  private final PictureNetwork model = fit.model();
  private final ImageSet heldOut = Digits.load(new Random(Training.SEED)).heldOut();

  /** Creates a network that has not been trained. */
  public ServedDigits() {}

  /** Trains the network in this process. */
  public void train(int epochs) {
    LocalOptimizer optimizer = fit.optimizer(model);
    List<Integer> rows = new ArrayList<>(IntStream.range(0, fit.size()).boxed().toList());
    Random random = new Random(Training.SEED);
    for (int epoch = 0; epoch < epochs; epoch++) {
      Collections.shuffle(rows, random);
      for (int from = 0; from < rows.size(); from += BATCH) {
        Variable loss = fit.loss(model, rows.subList(from, Math.min(rows.size(), from + BATCH)));
        loss.backward();
        optimizer.step();
        optimizer.zeroGrad();
      }
    }
    model.eval();
  }

  /** Returns the network as an ONNX model of {@code input} and {@code output}. */
  public OnnxModel export() {
    return OnnxExport.of(model, picture(0)).toModel();
  }

  /** Returns the number of held-out pictures. */
  public int size() {
    return heldOut.size();
  }

  /** Returns a held-out picture as a batch of one. */
  public Tensor picture(int index) {
    return heldOut.slice(index, index + 1).pixels();
  }

  /** Returns the scores of a picture that the network itself gives. */
  Tensor scores(int index) {
    return NoGrad.within(() -> model.forward(Variable.of(picture(index)))).value();
  }

  /** Returns whether the greatest of the scores of a picture is that of its class. */
  public boolean recognises(int index, Tensor scores) {
    return heldOut.slice(index, index + 1).recognised(scores) == 1;
  }
}
