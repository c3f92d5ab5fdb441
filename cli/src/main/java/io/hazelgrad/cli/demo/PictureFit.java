package io.hazelgrad.cli.demo;

import io.hazelgrad.autograd.NoGrad;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.jobs.Dataset;
import io.hazelgrad.autograd.jobs.DatasetProgram;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.autograd.optim.Sgd;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.grid.RemoteValue;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * The program of {@code demo elastic}: a {@link PictureNetwork} on the bundled digits or the files
 * of MNIST. A row is the number of a picture.
 *
 * @param folder the folder of MNIST's files, null for the digits
 */
@RemoteValue
public record PictureFit(@Nullable String folder)
    implements DatasetProgram<PictureNetwork, Integer> {
  /** The name of the share of held-out pictures that were recognised. */
  public static final String ACCURACY = "accuracy";

  private static final double RATE = 0.05;
  private static final int MNIST_PIXELS = 784;

  /** The pictures that this process has read last; it reads them once. */
  private static volatile @Nullable Pictures read;

  private record Pictures(@Nullable String folder, ImageSet training, ImageSet heldOut) {}

  private Pictures pictures() {
    Pictures known = read;
    if (known != null && Objects.equals(known.folder, folder)) {
      return known;
    }
    Pictures pictures;
    if (folder == null) {
      Digits digits = Digits.load(new Random(Training.SEED));
      pictures = new Pictures(null, digits.training(), digits.heldOut());
    } else {
      Mnist files = Mnist.read(Path.of(folder));
      pictures = new Pictures(folder, files.training(), files.heldOut());
    }
    read = pictures;
    return pictures;
  }

  /** Returns the number of pictures; throws BadInputException if the files are missing or wrong. */
  public int size() {
    return pictures().training.size();
  }

  @Override
  public PictureNetwork model() {
    return new PictureNetwork(
        folder == null ? Digits.PIXELS : MNIST_PIXELS, Init.seeded(Training.SEED));
  }

  @Override
  public LocalOptimizer optimizer(PictureNetwork model) {
    return LocalOptimizer.of(Sgd.of(RATE), model.parameters());
  }

  @Override
  public Dataset<Integer> data() {
    return Dataset.of(size(), number -> number);
  }

  @Override
  public Variable loss(PictureNetwork model, List<Integer> rows) {
    ImageSet some = pictures().training.select(rows);
    return model.forward(Variable.of(some.pixels())).crossEntropy(Variable.of(some.labels()));
  }

  @Override
  public Map<String, Double> evaluate(PictureNetwork model) {
    ImageSet heldOut = pictures().heldOut;
    Variable scores = NoGrad.within(() -> model.forward(Variable.of(heldOut.pixels())));
    return Map.of(ACCURACY, heldOut.recognised(scores.value()) / (double) heldOut.size());
  }
}
