package io.hazelgrad.cli.gpt;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.autograd.parallel.DataParallel;
import io.hazelgrad.autograd.parallel.Pipeline;
import io.hazelgrad.autograd.parallel.PipelineSchedule;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.collective.Collective;
import io.hazelgrad.grid.collective.Collectives;
import io.hazelgrad.grid.collective.Reduction;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Trains one stage of the model in a pipeline. There may be several pipelines, each with its part
 * of the rows of a batch; the workers of the same stage then exchange their gradients.
 */
final class PipelineTraining implements StepTraining {
  private final TrainingCase training;
  private final Collective stages;
  private final Collective replicas;
  private final CharTransformer model;
  private final Pipeline pipeline;
  private final DataParallel parallel;
  private final LocalOptimizer optimizer;
  private final int from;
  private final int to;
  private final int micros;
  private long rows;

  /**
   * Joins the workers.
   *
   * @param worker the number of this worker; stages of one pipeline are neighbours
   * @param workers the names of all workers
   * @param count the number of stages, which divides that of the workers
   */
  PipelineTraining(
      Collectives collectives, TrainingCase training, int worker, List<String> workers, int count) {
    int pipelines = workers.size() / count;
    int size = training.batches().size();
    if (pipelines > size) {
      throw new GridException(
          Status.BAD_ARGUMENT, "batch=%d is too small for %d pipelines".formatted(size, pipelines));
    }
    this.training = training;
    int stage = worker % count;
    int replica = worker / count;
    this.from = replica * size / pipelines;
    this.to = (replica + 1) * size / pipelines;
    this.micros = largestDivisor(to - from, training.micro());
    this.model = new CharTransformer(training.shape(), stage, count, Init.seeded(0));
    training.initial().load(model);
    this.stages =
        collectives.join(
            "replay-pipeline-" + replica, workers.subList(replica * count, (replica + 1) * count));
    List<String> same =
        IntStream.range(0, pipelines).mapToObj(i -> workers.get(i * count + stage)).toList();
    this.replicas = collectives.join("replay-stage-" + stage, same);
    this.pipeline = Pipeline.of(stages, model, micros, PipelineSchedule.ONE_FORWARD_ONE_BACKWARD);
    this.parallel = DataParallel.of(replicas, model);
    this.optimizer = LocalOptimizer.of(training.optimizer(), model.parameters());
  }

  /** Returns the largest number up to a limit that divides another one. */
  private static int largestDivisor(int number, int most) {
    return IntStream.rangeClosed(1, most).filter(each -> number % each == 0).max().orElse(1);
  }

  @Override
  public double step(int step) {
    double loss = loss(step);
    parallel.exchange();
    optimizer.step(parallel::gradient);
    parallel.zeroGrad();
    rows += to - from;
    return replicas.allReduce(Tensor.scalar(loss), Reduction.MEAN).join().item();
  }

  private double loss(int step) {
    if (pipeline.isFirst() && pipeline.isLast()) {
      return pipeline.step(inputs(step), (micro, scores) -> loss(step, micro, scores));
    } else if (pipeline.isFirst()) {
      return pipeline.step(inputs(step));
    } else if (pipeline.isLast()) {
      return pipeline.step((micro, scores) -> loss(step, micro, scores));
    }
    return pipeline.step();
  }

  private List<Tensor> inputs(int step) {
    return IntStream.range(0, micros).mapToObj(micro -> batch(step, micro).ids()).toList();
  }

  /** Returns the loss of a micro-batch; each row of all pipelines has the same weight. */
  private Variable loss(int step, int micro, Variable scores) {
    double weight = (double) (to - from) * replicas.size() / training.batches().size();
    Variable loss = training.loss(scores, batch(step, micro));
    return weight == 1 ? loss : loss.mul(Variable.of(Tensor.full(DType.FLOAT32, weight)));
  }

  private TextBatches.Batch batch(int step, int micro) {
    int size = (to - from) / micros;
    return training.batches().batch(step, from + micro * size, from + (micro + 1) * size);
  }

  @Override
  public long rows() {
    return rows;
  }

  @Override
  public long bytes() {
    return stages.bytesSent() + replicas.bytesSent();
  }

  @Override
  public Map<String, Tensor> state() {
    return model.state();
  }

  @Override
  public void close() {
    parallel.close();
    replicas.close();
    stages.close();
  }
}
