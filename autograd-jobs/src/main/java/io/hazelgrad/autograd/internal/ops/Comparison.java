package io.hazelgrad.autograd.internal.ops;

import io.hazelgrad.autograd.internal.backend.Term;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Backend.Binary;
import io.hazelgrad.autograd.ops.Operation;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.List;
import java.util.function.BinaryOperator;

/** A comparison of two elements, as BOOL. It has no gradient. */
public final class Comparison extends Pairwise {
  private final BinaryOperator<Term> formula;

  private Comparison(String name, BinaryOperator<Term> formula) {
    super(name);
    this.formula = formula;
  }

  public static List<Operation> all() {
    return List.of(
        new Comparison("eq", Term::equal),
        new Comparison("ne", (a, b) -> a.equal(b).equal(0)),
        new Comparison("lt", Term::less),
        new Comparison("le", (a, b) -> a.apply(Binary.LESS_EQUAL, b)),
        new Comparison("gt", (a, b) -> b.less(a)),
        new Comparison("ge", (a, b) -> b.apply(Binary.LESS_EQUAL, a)));
  }

  @Override
  public boolean differentiable(int input) {
    return false;
  }

  @Override
  public TensorType type(List<TensorType> inputs, Attributes attributes) {
    return new TensorType(name(), DType.BOOL, super.type(inputs, attributes).shape());
  }

  @Override
  public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
    DType dtype = commonType(inputs);
    Term a = new Term(backend, inputs.get(0).to(dtype));
    return Computed.of(formula.apply(a, a.of(inputs.get(1).to(dtype))).tensor());
  }
}
