package io.hazelgrad.autograd.internal.ops;

import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Saved;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.autograd.spi.ShapeRules;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.List;

/**
 * Puts elements around a tensor: {@code pad} says how many before and after in the last dimension,
 * then in the one before it, and so on. Negative ones cut off.
 *
 * <p>In the mode {@code constant} they are {@code value}. In the other modes they are elements of
 * the tensor: {@code reflect} has those next to the edge in the reverse order, the edge itself not
 * again; {@code replicate} the edge; {@code circular} those of the other end.
 */
final class Padding extends AbstractOperation {
  private static final String CONSTANT = "constant";
  private static final String REFLECT = "reflect";
  private static final String REPLICATE = "replicate";
  private static final String CIRCULAR = "circular";
  private static final List<String> MODES = List.of(CONSTANT, REFLECT, REPLICATE, CIRCULAR);

  Padding() {
    super("pad", 1, 1, "pad", "value", "mode");
  }

  @Override
  public TensorType type(List<TensorType> inputs, Attributes attributes) {
    TensorType input = inputs.get(0);
    long[] pad = attributes.integers(name(), "pad");
    if (pad == null || pad.length % 2 != 0 || pad.length / 2 > input.rank()) {
      throw bad("takes pairs, at most one for each dimension: " + attributes + " for " + input);
    }
    String mode = mode(attributes);
    if (!MODES.contains(mode)) {
      throw bad("mode=" + mode + " must be one of " + MODES);
    }
    double value = attributes.number(name(), "value", 0);
    if (!mode.equals(CONSTANT) && value != 0) {
      throw bad("value=" + value + " has no part in mode=" + mode);
    }
    long[] shape = input.shape();
    for (int i = 0; i < pad.length; i += 2) {
      int dim = input.rank() - 1 - i / 2;
      long most = Math.max(pad[i], pad[i + 1]);
      if (Math.max(Math.abs(pad[i]), Math.abs(pad[i + 1])) > Integer.MAX_VALUE
          || shape[dim] + Math.min(pad[i], 0) + Math.min(pad[i + 1], 0) < 0) {
        throw bad("pad=" + Arrays.toString(pad) + " is out of bounds for " + input);
      }
      if (most > 0 && most > largest(mode, shape[dim])) {
        throw bad(
            "pad=%s takes more than dimension %s of %s has for mode=%s"
                .formatted(Arrays.toString(pad), dim, input, mode));
      }
      shape[dim] += pad[i] + pad[i + 1];
    }
    return new TensorType(name(), input.dtype(), shape);
  }

  private String mode(Attributes attributes) {
    return attributes.text(name(), "mode", CONSTANT);
  }

  /** Returns how many elements a side of a dimension of that extent can get. */
  private static long largest(String mode, long extent) {
    return switch (mode) {
      case REFLECT -> extent - 1;
      case CIRCULAR -> extent;
      case REPLICATE -> extent == 0 ? 0 : Integer.MAX_VALUE;
      default -> Integer.MAX_VALUE;
    };
  }

  @Override
  public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
    String mode = mode(attributes);
    Tensor x = inputs.get(0);
    for (int dim = 0; dim < x.rank(); dim++) {
      long before = pad(attributes, x.rank(), dim, 0);
      long after = pad(attributes, x.rank(), dim, 1);
      if (before != 0 || after != 0) {
        x =
            mode.equals(CONSTANT)
                ? filled(backend, x, dim, before, after, attributes)
                : taken(backend, x, dim, before, after, mode);
      }
    }
    return Computed.of(x);
  }

  private Tensor filled(
      Backend backend, Tensor x, int dim, long before, long after, Attributes attributes) {
    Tensor value = Tensor.full(x.dtype(), attributes.number(name(), "value", 0));
    long kept = x.shape(dim) + Math.min(before, 0) + Math.min(after, 0);
    List<Tensor> parts =
        List.of(
            backend.expand(value, ShapeRules.with(x.shape(), dim, Math.max(before, 0))),
            Indexing.range(backend, x, dim, Math.max(-before, 0), kept),
            backend.expand(value, ShapeRules.with(x.shape(), dim, Math.max(after, 0))));
    return backend.concat(parts, dim);
  }

  private static Tensor taken(
      Backend backend, Tensor x, int dim, long before, long after, String mode) {
    long extent = x.shape(dim);
    // What has no elements may be too wide for an index.
    return x.size() == 0
        ? Tensor.zeros(x.dtype(), ShapeRules.with(x.shape(), dim, before + extent + after))
        : backend.take(x, dim, sources(mode, before, after, extent));
  }

  /** Returns, for each element of the result, which one of the tensor it is, or -1. */
  private static Tensor sources(String mode, long before, long after, long extent) {
    long[] sources = new long[(int) (before + extent + after)];
    for (int i = 0; i < sources.length; i++) {
      long at = i - before;
      sources[i] =
          switch (mode) {
            case REFLECT -> at < 0 ? -at : at >= extent ? 2 * (extent - 1) - at : at;
            case REPLICATE -> Math.max(0, Math.min(extent - 1, at));
            case CIRCULAR -> Math.floorMod(at, extent);
            default -> at < extent ? Math.max(-1, at) : -1;
          };
    }
    return Tensor.wrap(sources, sources.length);
  }

  /** Returns how many elements a dimension gets before (side 0) or after (side 1). */
  private long pad(Attributes attributes, int rank, int dim, int side) {
    long[] pad = attributes.integers(name(), "pad");
    int at = 2 * (rank - 1 - dim) + side;
    return pad == null || at >= pad.length ? 0 : pad[at];
  }

  @Override
  public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
    String mode = mode(saved.attributes());
    long[] shape = saved.inputs().get(0).shape();
    Tensor g = gradOutput;
    for (int dim = shape.length - 1; dim >= 0; dim--) {
      long before = pad(saved.attributes(), shape.length, dim, 0);
      long after = pad(saved.attributes(), shape.length, dim, 1);
      if (before != 0 || after != 0) {
        // Each element gets the sum of the gradients of all places that it was copied to.
        g =
            g.size() == 0
                ? Tensor.zeros(g.dtype(), ShapeRules.with(g.shape(), dim, shape[dim]))
                : backend.put(g, dim, sources(mode, before, after, shape[dim]), shape[dim]);
      }
    }
    return g;
  }
}
