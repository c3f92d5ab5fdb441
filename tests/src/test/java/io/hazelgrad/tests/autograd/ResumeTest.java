package io.hazelgrad.tests.autograd;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.optim.AdamW;
import io.hazelgrad.autograd.optim.Schedule;
import io.hazelgrad.autograd.optim.Sgd;
import io.hazelgrad.autograd.training.Checkpoint;
import io.hazelgrad.autograd.training.DistributedOptimizer;
import io.hazelgrad.cli.demo.Stage;
import io.hazelgrad.cli.demo.Training;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Test of a training on digits that stops, and continues in other processes from a file. */
@ExtendWith(Leftovers.class)
@Tag("slow")
class ResumeTest {
  private static final int HALF = 8;
  private static final int BATCH = 32;
  private static final int PIXELS = 64;

  @TempDir private Path folder;

  /** Network of two layers on two workers, with its optimizer. */
  private static final class Model implements AutoCloseable {
    private final Grid grid;
    private final List<RRef<Stage>> stages = new ArrayList<>();
    private final List<RRef<Variable>> parameters = new ArrayList<>();
    private final DistributedOptimizer optimizer;
    private double loss;

    Model(Grid grid, long seed) {
      this.grid = grid;
      stages.add(RRefs.on(grid).remote("w1", Stage::ofDigits, 0, 1, 2, seed));
      stages.add(RRefs.on(grid).remote("w2", Stage::ofDigits, 1, 2, 2, seed));
      stages.forEach(stage -> parameters.addAll(stage.sync(Stage::parameters)));
      optimizer =
          DistributedOptimizer.over(grid)
              .parameters(AdamW.defaults().withLearningRate(0.01), parameters.subList(0, 2))
              .parameters(Sgd.of(0.1).withMomentum(0.9), parameters.subList(2, 4))
              .schedule(Schedule.cosineAnnealing(2 * HALF, 0))
              .clipNorm(1)
              .create();
    }

    void train(List<String> digits, int from, int to) {
      for (int step = from; step < to; step++) {
        List<String> batch = digits.subList(step * BATCH, (step + 1) * BATCH);
        try (Context context = Autograd.on(grid).open()) {
          Variable y = Variable.of(pixels(batch));
          for (RRef<Stage> stage : stages) {
            y = stage.sync(Stage::forward, y);
          }
          Variable error = y.crossEntropy(Variable.of(labels(batch)));
          context.backward(error);
          assertThat(optimizer.step(context).changed()).isEqualTo(4);
          loss = error.value().item();
        }
        optimizer.advanceSchedule();
      }
    }

    List<Tensor> values() {
      return parameters.stream().map(each -> each.toHere().value()).toList();
    }

    @Override
    public void close() {
      optimizer.close();
      parameters.forEach(RRef::close);
      stages.forEach(RRef::close);
    }
  }

  private static List<String> digits() throws IOException {
    try (InputStream file =
            Objects.requireNonNull(Training.class.getResourceAsStream("digits.csv.gz"));
        BufferedReader reader =
            new BufferedReader(
                new InputStreamReader(new GZIPInputStream(file), StandardCharsets.US_ASCII))) {
      return reader.lines().limit(2L * HALF * BATCH).toList();
    }
  }

  private static Tensor pixels(List<String> rows) {
    float[] data = new float[rows.size() * PIXELS];
    for (int i = 0; i < data.length; i++) {
      data[i] = Integer.parseInt(rows.get(i / PIXELS).split(",", -1)[i % PIXELS]) / 16f;
    }
    return Tensor.wrap(data, rows.size(), PIXELS);
  }

  private static Tensor labels(List<String> rows) {
    return Tensor.wrap(
        rows.stream().mapToLong(row -> Long.parseLong(row.split(",", -1)[PIXELS])).toArray(),
        rows.size());
  }

  @Test
  void trainingContinuesBitForBitInNewProcesses() throws IOException {
    List<String> digits = digits();
    Path file = folder.resolve("model.safetensors");
    List<Tensor> expected;
    double expectedLoss;
    try (JvmCluster cluster = JvmCluster.workers("w1", "w2").start()) {
      try (Model whole = new Model(cluster.grid(), 1)) {
        whole.train(digits, 0, 1);
        double first = whole.loss;
        whole.train(digits, 1, 2 * HALF);
        expected = whole.values();
        expectedLoss = whole.loss;
        assertThat(expectedLoss).isLessThan(first);
      }
      try (Model half = new Model(cluster.grid(), 1)) {
        half.train(digits, 0, HALF);
        half.optimizer.checkpoint(Map.of("step", Tensor.scalar(HALF))).write(file);
        assertThat(half.values()).isNotEqualTo(expected);
      }
    }
    try (JvmCluster cluster = JvmCluster.workers("w1", "w2").start();
        Model resumed = new Model(cluster.grid(), 2)) {
      Checkpoint checkpoint = Checkpoint.read(file);
      resumed.optimizer.restore(checkpoint);
      int step = (int) Objects.requireNonNull(checkpoint.extras().get("step")).item();
      resumed.train(digits, step, 2 * HALF);
      assertThat(resumed.values()).isEqualTo(expected);
      assertThat(resumed.loss).isEqualTo(expectedLoss);
    }
  }
}
