package io.hazelgrad.cli.gpt;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Embedding;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.autograd.nn.LayerNorm;
import io.hazelgrad.autograd.nn.Linear;
import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.autograd.nn.Sequential;
import io.hazelgrad.autograd.nn.TransformerEncoderLayer;
import io.hazelgrad.autograd.nn.TransformerOptions;
import io.hazelgrad.autograd.nn.TransformerOptions.Activation;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * A transformer that predicts the next character, or one stage of it: a pipeline of stages computes
 * what the whole model computes. The first stage takes INT64 characters {@code [N, L]}, the last
 * one returns the scores of the characters that may follow, {@code [N, L, vocab]}; between stages
 * is {@code [N, L, width]}.
 *
 * <p>Its parts are {@code token} and {@code position}, embeddings that are added up, {@code
 * layers.I}, causal layers, and {@code norm} and {@code head}. A stage has the first two only if it
 * is the first, and the last two only if it is the last. A part has the same names in a stage and
 * in the whole model.
 *
 * <p>Threads: safe.
 */
@RemoteFunctions
public final class CharTransformer extends Module<Variable, Variable> {
  private static final int MAX_WIDTH = 1 << 16;

  private final Shape shape;
  private final @Nullable Embedding token;
  private final @Nullable Embedding position;
  private final Sequential layers;
  private final @Nullable LayerNorm norm;
  private final @Nullable Linear head;

  /**
   * The extents of a model.
   *
   * @param vocab the number of different characters
   * @param block the greatest number of characters of a row
   * @param layers the number of layers
   * @param heads the number of heads of each attention; divides the width
   * @param width the number of columns between layers; within a layer they are four times as many
   */
  @RemoteValue
  public record Shape(int vocab, int block, int layers, int heads, int width) {
    /** Checks the numbers: BAD_ARGUMENT. */
    public Shape {
      if (vocab < 1 || block < 1 || layers < 1 || heads < 1 || width < 1) {
        throw bad(
            "vocab=%d block=%d layers=%d heads=%d width=%d must be at least 1"
                .formatted(vocab, block, layers, heads, width));
      }
      if (width % heads != 0 || width > MAX_WIDTH) {
        throw bad("heads=%d must divide width=%d, at most %d".formatted(heads, width, MAX_WIDTH));
      }
    }

    /** Returns the first layer of a stage; the earlier stages have the layers that are left. */
    private int firstLayer(int stage, int stages) {
      return stage * (layers / stages) + Math.min(stage, layers % stages);
    }
  }

  /** Makes the whole model. */
  public CharTransformer(Shape shape, Init init) {
    this(shape, 0, 1, init);
  }

  /**
   * Makes one stage of several; its layers follow those of the stage before.
   *
   * @param stage the number of the stage, from 0
   * @param stages the number of all stages, at most that of the layers
   */
  public CharTransformer(Shape shape, int stage, int stages, Init init) {
    if (stages < 1 || stages > shape.layers() || stage < 0 || stage >= stages) {
      throw bad(
          "stage=%d of stages=%d: there must be 1 to %d stages, one for each layer at most"
              .formatted(stage, stages, shape.layers()));
    }
    this.shape = shape;
    boolean first = stage == 0;
    boolean last = stage == stages - 1;
    int width = shape.width();
    token = first ? child("token", new Embedding(shape.vocab(), width, init)) : null;
    position = first ? child("position", new Embedding(shape.block(), width, init)) : null;
    layers = child("layers", layers(shape, stage, stages, init));
    norm = last ? child("norm", new LayerNorm(width, init)) : null;
    head = last ? child("head", new Linear(width, shape.vocab(), false, init)) : null;
  }

  private static Sequential layers(Shape shape, int stage, int stages, Init init) {
    TransformerOptions options =
        TransformerOptions.defaults()
            .withFeedforward(4 * shape.width())
            .withDropout(0)
            .withActivation(Activation.GELU)
            .withBatchFirst(true)
            .withNormFirst(true)
            .withCausal(true);
    Map<String, TransformerEncoderLayer> layers = new LinkedHashMap<>();
    int end = shape.firstLayer(stage + 1, stages);
    for (int i = shape.firstLayer(stage, stages); i < end; i++) {
      layers.put(
          Integer.toString(i),
          new TransformerEncoderLayer(shape.width(), shape.heads(), options, init));
    }
    return new Sequential(layers);
  }

  @Override
  public Variable forward(Variable input) {
    Variable x =
        token == null || position == null
            ? input
            : token.forward(input).add(position.forward(positions(input.value())));
    Variable y = layers.forward(x);
    return norm == null || head == null ? y : head.forward(norm.forward(y));
  }

  private Variable positions(Tensor characters) {
    if (characters.rank() != 2 || characters.shape(1) > shape.block()) {
      throw bad("takes rows of at most %d characters: %s".formatted(shape.block(), characters));
    }
    long length = characters.shape(1);
    Tensor positions = Tensor.wrap(LongStream.range(0, length).toArray(), length);
    return Variable.of(positions.to(characters.device()));
  }

  private static GridException bad(String message) {
    return new GridException(Status.BAD_ARGUMENT, message);
  }
}
