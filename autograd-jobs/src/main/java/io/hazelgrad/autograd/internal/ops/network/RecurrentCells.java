package io.hazelgrad.autograd.internal.ops.network;

import io.hazelgrad.autograd.internal.backend.Term;
import io.hazelgrad.autograd.internal.ops.AbstractOperation;
import io.hazelgrad.autograd.internal.ops.Indexing;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Operation;
import io.hazelgrad.autograd.ops.Saved;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.autograd.spi.ShapeRules;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The base class of recurrent layers. Inputs are x {@code [T, N, I]}, the first states {@code [N,
 * H]}, weight_ih {@code [G H, I]}, weight_hh {@code [G H, H]} and optionally bias_ih and bias_hh
 * {@code [G H]}, where G is the number of gates. Products with all steps of x are made at once,
 * forward and backward; only what depends on the state goes step by step.
 */
public abstract class RecurrentCells extends AbstractOperation {
  final int gates;
  final int states;

  RecurrentCells(String name, int gates, int states) {
    super(name, 3 + states, 5 + states);
    this.gates = gates;
    this.states = states;
  }

  public static List<Operation> all() {
    return List.of(new Lstm(), new Gru());
  }

  @Override
  public TensorType type(List<TensorType> inputs, Attributes attributes) {
    TensorType x = inputs.get(0);
    TensorType first = inputs.get(1);
    if (!x.dtype().isFloating() || x.rank() != 3 || first.rank() != 2 || x.extent(0) == 0) {
      throw bad("takes floating-point x [T, N, I], T not 0, and states [N, H]: " + inputs);
    }
    long h = first.extent(1);
    for (int i = 1; i < inputs.size(); i++) {
      int at = i - 1 - states;
      long[] shape = {gates * h};
      if (at < 0) {
        shape = new long[] {x.extent(1), h};
      } else if (at < 2) {
        shape = new long[] {gates * h, at == 0 ? x.extent(2) : h};
      }
      requireInput(inputs, i, shape);
    }
    // The gates of all steps must have room, too.
    TensorType unused = new TensorType(name(), x.dtype(), x.extent(0), x.extent(1), gates * h);
    return output(x.dtype(), x.extent(0), x.extent(1), h);
  }

  /** The type of the output. */
  abstract TensorType output(DType dtype, long steps, long batch, long hidden);

  static Term step(Term all, int t) {
    Tensor x = all.tensor();
    long[] shape = Arrays.copyOfRange(x.shape(), 1, x.rank());
    return all.of(Indexing.range(all.backend(), x, 0, t, 1).reshape(shape));
  }

  /** Returns one gate of {@code [N, G H]}. */
  Term gate(Term all, int which) {
    long h = all.tensor().shape(1) / gates;
    return all.of(Indexing.range(all.backend(), all.tensor(), 1, which * h, h));
  }

  static Term joined(List<Term> parts, int dim) {
    Term first = parts.get(0);
    return first.of(first.backend().concat(parts.stream().map(Term::tensor).toList(), dim));
  }

  static Term stacked(List<Term> steps) {
    long[] shape = ShapeRules.withOne(steps.get(0).tensor().shape(), 0);
    return joined(steps.stream().map(step -> step.reshape(shape)).toList(), 0);
  }

  /** Returns x {@code [.., I]} times the transpose of a weight, plus a bias if there is one. */
  Term project(Term x, List<Tensor> inputs, int which) {
    int bias = 3 + states + which;
    return x.linear(inputs.get(1 + states + which), inputs.size() > bias ? inputs.get(bias) : null);
  }

  static Term times(Term x, Tensor weight) {
    return x.of(x.backend().matmul(x.tensor(), false, weight, false));
  }

  /**
   * Returns the gradients of all inputs.
   *
   * @param ofInput gradients of what came of x, {@code [T, N, G H]}
   * @param ofHidden likewise of what came of the states before
   * @param before these states, {@code [T, N, H]}
   * @param first gradients of the first states
   */
  List<Tensor> gradients(
      Saved saved, Term ofInput, Term ofHidden, Term before, List<Tensor> first) {
    Backend backend = ofInput.backend();
    Tensor x = saved.tensors().get(0);
    Tensor a = ShapeRules.asMatrix(ofInput.tensor());
    Tensor b = ShapeRules.asMatrix(ofHidden.tensor());
    Tensor weight = saved.tensors().get(1 + states);
    List<Tensor> all = new ArrayList<>();
    all.add(backend.matmul(a, false, weight, false).reshape(x.shape()));
    all.addAll(first);
    all.add(backend.matmul(a, true, ShapeRules.asMatrix(x), false));
    all.add(backend.matmul(b, true, ShapeRules.asMatrix(before.tensor()), false));
    all.add(ofInput.of(a).sum(0).reshape(a.shape(1)).tensor());
    all.add(ofInput.of(b).sum(0).reshape(b.shape(1)).tensor());
    return all.subList(0, saved.inputs().size());
  }

  /**
   * Long short-term memory (Hochreiter and Schmidhuber 1997), gates in torch's order: with i, f and
   * o sigmoids and g the tanh of their parts of the projections, c = f * c + i * g and h = o *
   * tanh(c). The output {@code [2, T, N, H]} has h of all steps, then c.
   */
  private static final class Lstm extends RecurrentCells {
    Lstm() {
      super("lstm", 4, 2);
    }

    @Override
    TensorType output(DType dtype, long steps, long batch, long hidden) {
      return new TensorType(name(), dtype, 2, steps, batch, hidden);
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Term x = new Term(backend, inputs.get(0));
      Term projected = project(x, inputs, 0);
      Term h = x.of(inputs.get(1));
      Term c = x.of(inputs.get(2));
      List<Term> gates = new ArrayList<>();
      List<Term> hs = new ArrayList<>();
      List<Term> cs = new ArrayList<>();
      for (int t = 0; t < x.tensor().shape(0); t++) {
        Term a = step(projected, t).plus(project(h, inputs, 1));
        Term i = gate(a, 0).sigmoid();
        Term f = gate(a, 1).sigmoid();
        Term g = gate(a, 2).tanh();
        Term o = gate(a, 3).sigmoid();
        c = f.times(c).plus(i.times(g));
        h = o.times(c.tanh());
        gates.add(joined(List.of(i, f, g, o), 1));
        hs.add(h);
        cs.add(c);
      }
      Term output = stacked(List.of(stacked(hs), stacked(cs)));
      List<Tensor> saved = new ArrayList<>(inputs.subList(0, 5));
      saved.add(stacked(gates).tensor());
      saved.add(output.tensor());
      return new Computed(output.tensor(), saved);
    }

    @Override
    public List<@Nullable Tensor> gradients(
        Backend backend, Saved saved, Tensor gradOutput, boolean[] needed) {
      List<Tensor> kept = saved.tensors();
      Term gates = new Term(backend, kept.get(5));
      Term hs = step(gates.of(kept.get(6)), 0);
      Term cs = step(gates.of(kept.get(6)), 1);
      Term gh = step(gates.of(gradOutput), 0);
      Term gc = step(gates.of(gradOutput), 1);
      int steps = Math.toIntExact(kept.get(0).shape(0));
      Term[] ofGates = new Term[steps];
      Term[] before = new Term[steps];
      Term dh = gates.of(Tensor.zeros(gradOutput.dtype(), kept.get(1).shape()));
      Term dc = dh;
      for (int t = steps - 1; t >= 0; t--) {
        Term all = step(gates, t);
        Term i = gate(all, 0);
        Term f = gate(all, 1);
        Term g = gate(all, 2);
        Term o = gate(all, 3);
        Term c = step(cs, t).tanh();
        Term cBefore = t == 0 ? gates.of(kept.get(2)) : step(cs, t - 1);
        before[t] = t == 0 ? gates.of(kept.get(1)) : step(hs, t - 1);
        dh = dh.plus(step(gh, t));
        dc = dc.plus(step(gc, t)).plus(dh.times(o).tanhGradient(c));
        ofGates[t] =
            joined(
                List.of(
                    dc.times(g).sigmoidGradient(i),
                    dc.times(cBefore).sigmoidGradient(f),
                    dc.times(i).tanhGradient(g),
                    dh.times(c).sigmoidGradient(o)),
                1);
        dh = times(ofGates[t], kept.get(4));
        dc = dc.times(f);
      }
      Term ofAll = stacked(List.of(ofGates));
      List<Tensor> first = List.of(dh.tensor(), dc.tensor());
      return gradients(saved, ofAll, ofAll, stacked(List.of(before)), first);
    }
  }

  /**
   * The gated recurrent unit (Cho et al. 2014) in torch's form: with r and z sigmoids of their
   * parts of the projections a of x and b of h, n = tanh(a + r * b) and h = (1 - z) * n + z * h.
   * The output {@code [T, N, H]} has h of all steps.
   */
  private static final class Gru extends RecurrentCells {
    Gru() {
      super("gru", 3, 1);
    }

    @Override
    TensorType output(DType dtype, long steps, long batch, long hidden) {
      return new TensorType(name(), dtype, steps, batch, hidden);
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Term x = new Term(backend, inputs.get(0));
      Term projected = project(x, inputs, 0);
      Term h = x.of(inputs.get(1));
      List<Term> gates = new ArrayList<>();
      List<Term> parts = new ArrayList<>();
      List<Term> hs = new ArrayList<>();
      for (int t = 0; t < x.tensor().shape(0); t++) {
        Term a = step(projected, t);
        Term b = project(h, inputs, 1);
        Term r = gate(a, 0).plus(gate(b, 0)).sigmoid();
        Term z = gate(a, 1).plus(gate(b, 1)).sigmoid();
        Term n = gate(a, 2).plus(r.times(gate(b, 2))).tanh();
        h = n.plus(z.times(h.minus(n)));
        gates.add(joined(List.of(r, z, n), 1));
        parts.add(gate(b, 2));
        hs.add(h);
      }
      Term output = stacked(hs);
      List<Tensor> saved = new ArrayList<>(inputs.subList(0, 4));
      saved.add(stacked(gates).tensor());
      saved.add(stacked(parts).tensor());
      saved.add(output.tensor());
      return new Computed(output.tensor(), saved);
    }

    @Override
    public List<@Nullable Tensor> gradients(
        Backend backend, Saved saved, Tensor gradOutput, boolean[] needed) {
      List<Tensor> kept = saved.tensors();
      Term gates = new Term(backend, kept.get(4));
      Term parts = gates.of(kept.get(5));
      Term hs = gates.of(kept.get(6));
      int steps = Math.toIntExact(kept.get(0).shape(0));
      Term[] ofInput = new Term[steps];
      Term[] ofHidden = new Term[steps];
      Term[] before = new Term[steps];
      Term dh = gates.of(Tensor.zeros(gradOutput.dtype(), kept.get(1).shape()));
      for (int t = steps - 1; t >= 0; t--) {
        Term all = step(gates, t);
        Term r = gate(all, 0);
        Term z = gate(all, 1);
        Term n = gate(all, 2);
        before[t] = t == 0 ? gates.of(kept.get(1)) : step(hs, t - 1);
        dh = dh.plus(step(gates.of(gradOutput), t));
        Term dn = dh.times(z.from(1)).tanhGradient(n);
        Term dz = dh.times(before[t].minus(n)).sigmoidGradient(z);
        Term dr = dn.times(step(parts, t)).sigmoidGradient(r);
        ofInput[t] = joined(List.of(dr, dz, dn), 1);
        ofHidden[t] = joined(List.of(dr, dz, dn.times(r)), 1);
        dh = dh.times(z).plus(times(ofHidden[t], kept.get(3)));
      }
      Term allBefore = stacked(List.of(before));
      List<Tensor> first = List.of(dh.tensor());
      return gradients(
          saved, stacked(List.of(ofInput)), stacked(List.of(ofHidden)), allBefore, first);
    }
  }
}
