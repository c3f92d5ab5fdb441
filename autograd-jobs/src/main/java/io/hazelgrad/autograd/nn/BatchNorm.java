package io.hazelgrad.autograd.nn;

import io.hazelgrad.autograd.Outputs;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Normalises each channel of {@code [N, C]}, {@code [N, C, L]} or {@code [N, C, H, W]}: in training
 * by mean and variance of the batch, in evaluation by running ones. As {@code torch.nn.BatchNorm1d}
 * and {@code BatchNorm2d}, with the parameters {@code weight} and {@code bias} and the buffers
 * {@code running_mean}, {@code running_var} and {@code num_batches_tracked}.
 *
 * <p>Threads: safe. Concurrent batches update the running statistics one after the other.
 */
@RemoteFunctions
public final class BatchNorm extends Module<Variable, Variable> {
  private static final String OPERATION = "batch_norm";

  private final BatchNormOptions options;
  private final List<Variable> affine;
  private final Tensor none;
  private final @Nullable Running running;

  private record Running(Buffer mean, Buffer var, Buffer count) {}

  /** Makes a layer for so many channels, with {@link BatchNormOptions#defaults()}. */
  public BatchNorm(int channels, Init init) {
    this(channels, BatchNormOptions.defaults(), init);
  }

  /** Makes a layer for so many channels. */
  public BatchNorm(int channels, BatchNormOptions options, Init init) {
    atLeast("channels", channels, 1);
    this.options = options;
    affine =
        options.affine()
            ? List.of(
                parameter("weight", init.full(1, channels)),
                parameter("bias", init.full(0, channels)))
            : List.of();
    none = init.full(0, channels);
    running =
        options.tracked()
            ? new Running(
                buffer("running_mean", none),
                buffer("running_var", init.full(1, channels)),
                buffer("num_batches_tracked", Tensor.wrap(new long[] {0})))
            : null;
  }

  @Override
  public Variable forward(Variable x) {
    if (running != null && !isTraining()) {
      Map<String, Object> attributes = Map.of("eps", options.eps());
      return normalised(x, running.mean.value(), running.var.value(), attributes).output();
    }
    // With momentum 1 the operation gives the statistics of the batch, whatever ran before.
    Tensor before = none.to(x.value().device());
    Map<String, Object> attributes = Map.of("eps", options.eps(), "training", true, "momentum", 1);
    Outputs outputs = normalised(x, before, before, attributes);
    if (running != null) {
      move(running, outputs.more());
    }
    return outputs.output();
  }

  private Outputs normalised(Variable x, Tensor mean, Tensor var, Map<String, Object> attributes) {
    List<Variable> inputs = new ArrayList<>(List.of(x, Variable.of(mean), Variable.of(var)));
    inputs.addAll(affine);
    return Variable.applyAll(OPERATION, Attributes.of(attributes), inputs.toArray(Variable[]::new));
  }

  private synchronized void move(Running old, Map<String, Tensor> batch) {
    long count = old.count.value().toLongs()[0] + 1;
    Double momentum = options.momentum();
    double part = momentum == null ? 1.0 / count : momentum;
    old.count.set(Tensor.wrap(new long[] {count}).to(old.count.value().device()));
    move(old.mean, batch.get("running_mean_after"), part);
    move(old.var, batch.get("running_var_after"), part);
  }

  private static void move(Buffer old, @Nullable Tensor batch, double part) {
    Tensor before = old.value();
    double[] values = before.toDoubles();
    double[] now = Objects.requireNonNull(batch, "the operation gives it").toDoubles();
    Arrays.setAll(values, i -> part * now[i] + (1 - part) * values[i]);
    old.set(Tensor.wrap(values, before.shape()).to(before.dtype()).to(before.device()));
  }
}
