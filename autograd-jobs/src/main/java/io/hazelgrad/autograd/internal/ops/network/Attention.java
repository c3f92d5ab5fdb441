package io.hazelgrad.autograd.internal.ops.network;

import io.hazelgrad.autograd.internal.backend.Term;
import io.hazelgrad.autograd.internal.ops.AbstractOperation;
import io.hazelgrad.autograd.internal.ops.Indexing;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.FusedKernels;
import io.hazelgrad.autograd.ops.Operation;
import io.hazelgrad.autograd.ops.OperationErrors;
import io.hazelgrad.autograd.ops.Saved;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.autograd.spi.ShapeRules;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Attention (Vaswani et al. 2017): softmax(q k^T * scale) v, where the scale is one by the root of
 * the last extent of q.
 *
 * <p>With the weights p = softmax(..) and the gradient g: that of v is p^T g; with h = g v^T, that
 * of the scores is s = p * (h - sum(h * p)); that of q is s k * scale and that of k is s^T q *
 * scale.
 */
public final class Attention {
  private Attention() {}

  public static List<Operation> all() {
    return List.of(new ScaledDotProduct(), new MultiHead());
  }

  private static double scale(long extent) {
    return 1 / Math.sqrt(Math.max(1.0, (double) extent));
  }

  /** The two kinds of products, of which there are six: two forward and four for the gradients. */
  private interface Products {
    /** Multiplies rows by rows: queries by keys, or gradients of the output by values. */
    Tensor scores(Tensor a, Tensor b);

    /** Multiplies weights, or gradients of scores, by what they belong to. */
    Tensor values(Tensor weights, boolean transpose, Tensor of);
  }

  /** Returns what each query takes of each key: {@code [.., queries, keys]}. */
  private static Term weights(Term products, double scale, @Nullable Tensor mask, boolean causal) {
    FusedKernels fused = Softmax.fused(products, products.tensor().rank() - 1);
    if (fused != null && mask == null) {
      return products.of(fused.softmax(products.tensor(), scale, causal));
    }
    Term scores = products.times(scale);
    Term never = scores.constant(Double.NEGATIVE_INFINITY);
    if (mask != null && mask.dtype() == DType.BOOL) {
      scores = scores.of(mask.to(scores.tensor().dtype())).choose(scores, never);
    } else if (mask != null) {
      scores = scores.plus(scores.of(mask));
    }
    if (causal) {
      long queries = products.tensor().shape(-2);
      long keys = products.tensor().shape(-1);
      double[] past = new double[Math.toIntExact(queries * keys)];
      Arrays.setAll(past, i -> i % keys <= i / keys ? 1 : 0);
      Tensor pastMask = Tensor.wrap(past, queries, keys);
      scores = scores.of(pastMask.to(scores.tensor().dtype())).choose(scores, never);
    }
    return Softmax.softmax(scores, scores.tensor().rank() - 1);
  }

  /** The gradients of q, k, v and of the scores. */
  private record Gradients(Tensor q, Tensor k, Tensor v, Tensor scores) {
    /**
     * Computes the gradients.
     *
     * @param inputs q, k and v
     * @param withScores whether that of the scores is needed; if not, it may be wrong by a factor
     */
    static Gradients of(
        Products by, Term p, List<Tensor> inputs, double scale, Tensor g, boolean withScores) {
      Term h = p.of(by.scores(g, inputs.get(2)));
      FusedKernels fused = Softmax.fused(p, p.tensor().rank() - 1);
      Tensor scores;
      Tensor scaled;
      if (fused != null && !withScores && h.tensor().hasShape(p.tensor().shape())) {
        scores = fused.softmaxGradient(h.tensor(), p.tensor(), scale);
        scaled = scores;
      } else {
        Term s = p.times(h.minus(h.times(p).sum(h.tensor().rank() - 1)));
        scores = s.tensor();
        scaled = s.times(scale).tensor();
      }
      return new Gradients(
          by.values(scaled, false, inputs.get(1)),
          by.values(scaled, true, inputs.get(0)),
          by.values(p.tensor(), true, g),
          scores);
    }
  }

  /** Returns whether the gradient of the mask is needed. */
  private static boolean hasMask(boolean[] needed, int mask) {
    return needed.length > mask && needed[mask];
  }

  private static void checkMask(String operation, TensorType mask, DType dtype, long[] scores) {
    boolean fits = mask.dtype() == DType.BOOL || mask.dtype() == dtype;
    if (!fits || !Arrays.equals(ShapeRules.broadcast(operation, mask.shape(), scores), scores)) {
      throw OperationErrors.bad(
          operation,
          "mask must be BOOL or %s and broadcast to %s: %s"
              .formatted(dtype, Arrays.toString(scores), mask));
    }
  }

  /**
   * Inputs q {@code [.., L, E]}, k {@code [.., S, E]}, v {@code [.., S, V]} and optionally a mask
   * that is broadcast to {@code [.., L, S]}: true where a query may look at a key, or numbers to
   * add to the scores. With {@code causal} query i looks at the keys up to i. The further output
   * {@code weights} has the softmax.
   */
  private static final class ScaledDotProduct extends AbstractOperation {
    ScaledDotProduct() {
      super("scaled_dot_product_attention", 3, 4, "causal");
    }

    @Override
    public TensorType type(List<TensorType> inputs, Attributes attributes) {
      TensorType q = inputs.get(0);
      TensorType k = inputs.get(1);
      TensorType v = inputs.get(2);
      for (TensorType input : inputs.subList(0, 3)) {
        if (!input.dtype().isFloating() || input.dtype() != q.dtype() || input.rank() < 2) {
          throw bad("takes floating-point matrices of one type: " + inputs);
        }
      }
      long keys = k.extent(k.rank() - 2);
      if (k.extent(k.rank() - 1) != q.extent(q.rank() - 1) || v.extent(v.rank() - 2) != keys) {
        throw bad("takes q [.., L, E], k [.., S, E] and v [.., S, V]: " + inputs);
      }
      boolean unused = attributes.flag(name(), "causal", false);
      long[] batch = ShapeRules.broadcast(name(), batch(q), batch(k));
      TensorType scores =
          new TensorType(
              name(), q.dtype(), ShapeRules.matrices(batch, q.extent(q.rank() - 2), keys));
      if (inputs.size() > 3) {
        checkMask(name(), inputs.get(3), q.dtype(), scores.shape());
      }
      long[] all = ShapeRules.broadcast(name(), batch, batch(v));
      return new TensorType(
          name(),
          q.dtype(),
          ShapeRules.matrices(all, q.extent(q.rank() - 2), v.extent(v.rank() - 1)));
    }

    private static long[] batch(TensorType type) {
      return Arrays.copyOf(type.shape(), type.rank() - 2);
    }

    private static Products products(Backend backend) {
      return new Products() {
        @Override
        public Tensor scores(Tensor a, Tensor b) {
          return backend.matmul(a, false, b, true);
        }

        @Override
        public Tensor values(Tensor weights, boolean transpose, Tensor of) {
          return backend.matmul(weights, transpose, of, false);
        }
      };
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Tensor mask = inputs.size() > 3 ? inputs.get(3) : null;
      boolean causal = attributes.flag(name(), "causal", false);
      Products by = products(backend);
      Term products = new Term(backend, by.scores(inputs.get(0), inputs.get(1)));
      Tensor p = weights(products, scale(inputs.get(0).shape(-1)), mask, causal).tensor();
      Tensor output = by.values(p, false, inputs.get(2));
      List<Tensor> saved = List.of(p, inputs.get(0), inputs.get(1), inputs.get(2));
      return new Computed(output, saved, Map.of("weights", p));
    }

    @Override
    public List<@Nullable Tensor> gradients(
        Backend backend, Saved saved, Tensor gradOutput, boolean[] needed) {
      List<Tensor> kept = saved.tensors();
      Gradients all =
          Gradients.of(
              products(backend),
              new Term(backend, kept.get(0)),
              kept.subList(1, 4),
              scale(kept.get(1).shape(-1)),
              gradOutput,
              hasMask(needed, 3));
      return List.of(all.q(), all.k(), all.v(), all.scores());
    }
  }

  /**
   * Attention in {@code heads} parts: inputs query {@code [N, L, E]}, key and value {@code [N, S,
   * E]}, in_weight {@code [3 E, E]} and in_bias {@code [3 E]}, by which query, key and value are
   * projected, out_weight {@code [E, E]} and out_bias {@code [E]} for the joined result, and
   * optionally a mask as above, broadcast to {@code [N, heads, L, S]}.
   */
  private static final class MultiHead extends AbstractOperation {
    private static final int MASK = 7;

    MultiHead() {
      super("multi_head_attention", MASK, MASK + 1, "heads", "causal");
    }

    @Override
    public TensorType type(List<TensorType> inputs, Attributes attributes) {
      TensorType query = inputs.get(0);
      if (!query.dtype().isFloating() || query.rank() != 3 || inputs.get(1).rank() != 3) {
        throw bad("takes floating-point query [N, L, E], key and value [N, S, E]: " + inputs);
      }
      long n = query.extent(0);
      long e = query.extent(2);
      long s = inputs.get(1).extent(1);
      long heads = attributes.integer(name(), "heads");
      if (heads < 1 || e % heads != 0) {
        throw bad("heads=" + heads + " must divide the last extent of " + query);
      }
      long[][] shapes = {{n, s, e}, {n, s, e}, {3 * e, e}, {3 * e}, {e, e}, {e}};
      for (int i = 0; i < shapes.length; i++) {
        requireInput(inputs, i + 1, shapes[i]);
      }
      boolean unused = attributes.flag(name(), "causal", false);
      TensorType scores = new TensorType(name(), query.dtype(), n, heads, query.extent(1), s);
      if (inputs.size() > MASK) {
        checkMask(name(), inputs.get(MASK), query.dtype(), scores.shape());
      }
      return query;
    }

    private static Products products(Backend backend, long heads) {
      return new Products() {
        @Override
        public Tensor scores(Tensor a, Tensor b) {
          return backend.headScores(a, b, heads);
        }

        @Override
        public Tensor values(Tensor weights, boolean transpose, Tensor of) {
          return backend.headValues(weights, transpose, of);
        }
      };
    }

    /** Returns the third of the in_weight or in_bias for query, key or value. */
    private static Tensor third(Backend backend, Tensor x, int which) {
      long rows = x.shape(0) / 3;
      return Indexing.range(backend, x, 0, which * rows, rows);
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      long heads = attributes.integer(name(), "heads");
      List<Tensor> saved = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        Tensor weight = third(backend, inputs.get(3), i);
        Tensor bias = third(backend, inputs.get(4), i);
        saved.add(new Term(backend, inputs.get(i)).linear(weight, bias).tensor());
      }
      Tensor mask = inputs.size() > MASK ? inputs.get(MASK) : null;
      boolean causal = attributes.flag(name(), "causal", false);
      Products by = products(backend, heads);
      Term products = new Term(backend, by.scores(saved.get(0), saved.get(1)));
      Tensor p = weights(products, scale(saved.get(0).shape(2) / heads), mask, causal).tensor();
      Tensor joined = by.values(p, false, saved.get(2));
      saved.addAll(List.of(p, joined));
      saved.addAll(inputs.subList(0, 6));
      Term output = new Term(backend, joined).linear(inputs.get(5), inputs.get(6));
      return new Computed(output.tensor(), saved, Map.of("weights", p));
    }

    @Override
    public List<@Nullable Tensor> gradients(
        Backend backend, Saved saved, Tensor gradOutput, boolean[] needed) {
      List<Tensor> kept = saved.tensors();
      long heads = saved.attributes().integer(name(), "heads");
      Tensor joined = kept.get(4);
      Tensor inWeight = kept.get(8);
      Tensor g = ShapeRules.asMatrix(gradOutput);
      Tensor ofJoined = backend.matmul(g, false, kept.get(10), false).reshape(joined.shape());
      Gradients inner =
          Gradients.of(
              products(backend, heads),
              new Term(backend, kept.get(3)),
              kept.subList(0, 3),
              scale(joined.shape(2) / heads),
              ofJoined,
              hasMask(needed, MASK));
      List<Tensor> all = new ArrayList<>();
      List<Tensor> weights = new ArrayList<>();
      List<Tensor> biases = new ArrayList<>();
      List<Tensor> projected = List.of(inner.q(), inner.k(), inner.v());
      for (int i = 0; i < 3; i++) {
        Tensor of = ShapeRules.asMatrix(projected.get(i));
        Tensor input = kept.get(5 + i);
        all.add(
            backend.matmul(of, false, third(backend, inWeight, i), false).reshape(input.shape()));
        weights.add(backend.matmul(of, true, ShapeRules.asMatrix(input), false));
        biases.add(new Term(backend, of).sum(0).reshape(of.shape(1)).tensor());
      }
      all.add(backend.concat(weights, 0));
      all.add(backend.concat(biases, 0));
      all.add(backend.matmul(g, true, ShapeRules.asMatrix(joined), false));
      all.add(new Term(backend, g).sum(0).reshape(g.shape(1)).tensor());
      all.add(inner.scores());
      return all;
    }
  }
}
